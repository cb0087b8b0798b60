import { IsMongoId } from 'class-validator';
import { Id } from '../../../common/http/responses/fields';

export class ReplacementRequest {
  @Id('The phone that takes its place')
  @IsMongoId({ message: '$property is not a valid id' })
  deviceId!: string;
}
