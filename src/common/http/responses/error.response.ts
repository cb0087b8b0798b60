import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class FieldErrorResponse {
  @ApiProperty({ description: 'The invalid field, with its path', example: 'recipients.0' })
  field!: string;

  @ApiProperty({
    description: 'What is wrong with it',
    example: 'recipients.0 is not a phone number: 3 to 15 digits, with or without a leading +',
  })
  message!: string;
}

/** The body of every error but 401. */
export class ErrorResponse {
  @ApiProperty({
    description: 'What went wrong and what to do, as text',
    example: 'The account has no device with this id',
  })
  error!: string;

  @ApiProperty({ description: 'The same text as error', example: 'The account has no device with this id' })
  message!: string;

  @ApiProperty({
    description: 'A stable error code for programs. Codes may be added',
    example: 'DEVICE_NOT_FOUND',
  })
  code!: string;

  @ApiPropertyOptional({
    type: [FieldErrorResponse],
    description: 'The invalid fields; only with the code VALIDATION_FAILED',
  })
  details?: FieldErrorResponse[];
}

/** The body of a 401. */
export class UnauthorizedResponse {
  @ApiProperty({ enum: ['Unauthorized'], description: 'Always this text' })
  error!: string;

  @ApiProperty({ enum: ['AUTH_INVALID'], description: 'Always this code' })
  code!: string;
}
