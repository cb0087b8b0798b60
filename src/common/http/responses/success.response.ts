import { ApiProperty } from '@nestjs/swagger';

export class SuccessResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: true;
}
