import { ApiProperty } from '@nestjs/swagger';

/** The answer of what has nothing to tell but that it was done. */
export class SuccessResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: true;
}
