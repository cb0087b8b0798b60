import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsMongoId, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { Types } from 'mongoose';
import { OptionalField, OptionalText } from '../../common/http/requests/fields';
import { PlainName } from '../../common/http/requests/text-rules';

export class CreatePairingCodeRequest {
  @ApiPropertyOptional({
    description: 'Id of the device that the new phone replaces',
    example: '665f1c2ab7e1d4a9c0f3e812',
  })
  @OptionalField()
  @IsMongoId({ message: 'replaces is not a valid id' })
  replaces?: string;

  get replacedDevice(): Types.ObjectId | undefined {
    return this.replaces === undefined ? undefined : new Types.ObjectId(this.replaces);
  }
}

export class RedeemPairingCodeRequest {
  @ApiProperty({ description: 'The ten digits; spaces are ignored', example: '4839 201 756' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  code!: string;

  @OptionalText('Name of the key', 'USB stick on the office server', 64)
  @PlainName()
  name?: string;
}
