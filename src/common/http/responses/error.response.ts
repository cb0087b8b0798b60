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

class NumberOwnerResponse {
  @ApiProperty({ description: 'Contact id', example: '665f1c2ab7e1d4a9c0f3e812' })
  _id!: string;

  @ApiProperty({ description: 'Name; empty if it has none', example: 'Ana Marín' })
  name!: string;
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

  @ApiPropertyOptional({
    description: 'The contact that has the number; only with the code CONTACT_NUMBER_TAKEN',
  })
  contact?: NumberOwnerResponse;
}

/** The body of a 401. */
export class UnauthorizedResponse {
  @ApiProperty({ enum: ['Unauthorized'], description: 'Always this text' })
  error!: string;

  @ApiProperty({ enum: ['AUTH_INVALID'], description: 'Always this code' })
  code!: string;
}
