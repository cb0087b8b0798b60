import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsObject, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { NullableField, OptionalField } from '../../../common/http/requests/fields';
import { IsPhoneNumberText, Printable, TextRule } from '../../../common/http/requests/text-rules';
import { isTimeZone } from '../limits/calendar';
import type { SimLimitsPatch, SimPatch } from '../sims.service';

const MAX_TEXT_LENGTH = 64;

export const MAX_PARTS_PER_MINUTE = 1_000;
const MAX_MESSAGES = 1_000_000;
/** Each takes about 20 bytes of the SIM's usage. */
const MAX_RECIPIENTS_PER_MONTH = 1_000;
const MAX_DAY = 31;

/** A whole number from 1; null is a value, which removes what is stored or means no limit. */
export const Limit = (description: string, maximum: number, example: number): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum, description, example }),
    NullableField(),
    IsInt(),
    Min(1),
    Max(maximum),
  );

/** A text; null removes it. */
const NullableText = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_TEXT_LENGTH, description, example }),
    NullableField(),
    IsString(),
    MaxLength(MAX_TEXT_LENGTH),
  );

/** The limits of a SIM. Null removes a limit; absent fields stay unchanged. */
export class SimLimitsRequest implements SimLimitsPatch {
  @Limit(
    'SMS parts a minute, with a burst of a quarter of it. Replaces the pace of the phone',
    MAX_PARTS_PER_MINUTE,
    20,
  )
  partsPerMinute?: number | null;

  @Limit('Messages an hour', MAX_MESSAGES, 60)
  messagesPerHour?: number | null;

  @Limit('Messages a day', MAX_MESSAGES, 200)
  messagesPerDay?: number | null;

  @Limit('Messages a month', MAX_MESSAGES, 3_000)
  messagesPerMonth?: number | null;

  @Limit('Distinct recipients a month', MAX_RECIPIENTS_PER_MONTH, 250)
  recipientsPerMonth?: number | null;

  @Limit('Day on which a month starts; the last day of a shorter month. Defaults to 1', MAX_DAY, 1)
  monthStartsOn?: number | null;

  @NullableText(
    'IANA time zone in which hours, days and months start. Defaults to the one the phone reports, else UTC',
    'Europe/Berlin',
  )
  @TextRule('isTimeZone', isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
  timeZone?: string | null;
}

/** Absent fields stay unchanged; null removes a label, a number or a limit. */
export class SimPatchRequest implements SimPatch {
  @NullableText('Label', 'Work')
  @Printable()
  label?: string | null;

  @NullableText('Its phone number, which phones cannot read reliably', '+4915112345678')
  @IsPhoneNumberText()
  phoneNumber?: string | null;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'false: sends that name it are refused, and messages that wait for it stay pending',
  })
  @OptionalField()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'true: resets the health of the SIM, as if it had sent nothing; for a SIM that is found unhealthy and is not, or not any more',
  })
  @OptionalField()
  @IsBoolean()
  resetHealth?: boolean;

  @ApiPropertyOptional({
    type: SimLimitsRequest,
    nullable: true,
    description: 'The limits to change. Messages that exceed one wait. Null removes all',
  })
  @NullableField()
  @IsObject()
  @ValidateNested()
  @Type(() => SimLimitsRequest)
  limits?: SimLimitsRequest | null;
}
