import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalCount, OptionalTime, Time } from '../../../../common/http/responses/fields';
import { stateOf } from '../checkup';
import type { Checkup } from '../checkup.service';
import {
  CHECK_CODES,
  CHECK_STATES,
  type CheckCode,
  type CheckState,
  FINDING_CODES,
  type FindingCode,
} from '../findings';

export class CheckFactsResponse {
  @OptionalCount('Minutes', 15)
  minutes?: number;

  @ApiPropertyOptional({ type: String, description: 'Version of the app', example: '1.68.0' })
  version?: string;
}

export class CheckResponse {
  @ApiProperty({ enum: CHECK_CODES, enumName: 'CheckCode', description: 'What was checked' })
  code!: CheckCode;

  @ApiProperty({
    enum: CHECK_STATES,
    enumName: 'CheckState',
    description: 'unknown: the phone has reported nothing by which it could be told',
  })
  state!: CheckState;

  @ApiProperty({
    enum: [...FINDING_CODES],
    enumName: 'FindingCode',
    description: 'What was found',
    example: 'battery_optimized',
  })
  finding!: FindingCode;

  @OptionalTime('Since when, or when it was last seen')
  since?: Date;

  @ApiProperty({ type: CheckFactsResponse, description: 'Values in the text' })
  facts!: CheckFactsResponse;

  @ApiProperty({
    description: 'What was found, as a sentence',
    example: 'Battery optimisation is on for the app: Android may stop it in the background.',
  })
  text!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'What to do or to tap',
    example: 'In the Android settings of the app, set its battery usage to unrestricted.',
  })
  remedy?: string;
}

export class CheckupResponse {
  @Time('When it was checked')
  at!: Date;

  @ApiProperty({ enum: ['ok', 'warning', 'error'], description: 'The worst state of the checks but unknown' })
  state!: Exclude<CheckState, 'unknown'>;

  @ApiProperty({ type: [CheckResponse], description: 'Always the same checks in the same order' })
  checks!: CheckResponse[];
}

export const toCheckupResponse = ({ at, checks }: Checkup): CheckupResponse => ({
  at,
  state: stateOf(checks),
  checks: [...checks],
});
