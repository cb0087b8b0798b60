import { ApiProperty } from '@nestjs/swagger';

export class CancelResponse {
  @ApiProperty({ enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ description: 'Messages that are cancelled', example: 950 })
  cancelledCount!: number;

  @ApiProperty({
    description: 'Messages that the phone was asked not to send; each is cancelled once the phone confirms',
    example: 0,
  })
  requestedCount!: number;
}
