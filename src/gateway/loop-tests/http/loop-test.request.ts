import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { OptionalField } from '../../../common/http/requests/fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { IsPhoneNumberText } from '../../../common/http/requests/text-rules';
import type { LoopTestInput } from '../loop-tests.service';

/** A send may have an `id` of its sender's. */
@UnsuggestedFields()
class LoopTestSimRequest {
  @ApiProperty({ description: 'Id of a SIM of the account', example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsString()
  id!: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: 64,
    description: 'Its number, stored in the SIM; needed if the SIM has none',
    example: '+447700900123',
  })
  @OptionalField('')
  @IsString()
  @MaxLength(64)
  @IsPhoneNumberText()
  phoneNumber?: string;
}

export class LoopTestRequest implements LoopTestInput {
  @ApiProperty({
    type: LoopTestSimRequest,
    isArray: true,
    maxItems: 2,
    description: 'Two SIMs, which send texts to each other; none ends the tests',
  })
  @IsArray()
  @ArrayMaxSize(2)
  @ValidateNested({ each: true })
  @Type(() => LoopTestSimRequest)
  sims!: LoopTestSimRequest[];

  @ApiProperty({ type: Boolean, description: 'Whether a test runs each night' })
  @IsBoolean()
  nightly!: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 23,
    description: 'The hour of it, in UTC',
    example: 3,
  })
  @IsInt()
  @Min(0)
  @Max(23)
  nightlyHour!: number;
}
