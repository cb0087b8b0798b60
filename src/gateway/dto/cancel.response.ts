import { ApiProperty } from '@nestjs/swagger';

export class CancelResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ type: Number, description: 'Messages of the batch that are cancelled', example: 950 })
  cancelledCount!: number;
}
