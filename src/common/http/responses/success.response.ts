import { ApiProperty } from '@nestjs/swagger';

/** The response of a handler that returns nothing. */
export class SuccessResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: true;
}
