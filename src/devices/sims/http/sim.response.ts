import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalTime } from '../../../common/http/responses/fields';
import { BREAKER_STATES, type BreakerState } from '../../states/breaker-state';
import type { LimitUsage } from '../limits/usage-state';
import type { SimView } from '../sims.service';

const LimitField = (description: string) =>
  ApiPropertyOptional({ type: 'integer', description, example: 200 });

class SimLimitsResponse {
  @LimitField('SMS parts a minute')
  partsPerMinute?: number;

  @LimitField('Messages an hour')
  messagesPerHour?: number;

  @LimitField('Messages a day')
  messagesPerDay?: number;

  @LimitField('Messages a month')
  messagesPerMonth?: number;

  @LimitField('Distinct recipients a month')
  recipientsPerMonth?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Day on which a month starts', example: 1 })
  monthStartsOn?: number;

  @ApiPropertyOptional({
    description: 'Time zone in which hours, days and months start',
    example: 'Europe/Berlin',
  })
  timeZone?: string;
}

class LimitUsageResponse implements LimitUsage {
  @ApiProperty({ type: 'integer', description: 'What is used', example: 37 })
  used!: number;

  @OptionalTime('When it resets; absent if nothing is used')
  resetsAt?: Date;
}

const UsageField = (description: string) => ApiPropertyOptional({ type: LimitUsageResponse, description });

class SimUsageResponse {
  @UsageField('SMS parts of the burst')
  partsPerMinute?: LimitUsageResponse;

  @UsageField('Messages of this hour')
  messagesPerHour?: LimitUsageResponse;

  @UsageField('Messages of this day')
  messagesPerDay?: LimitUsageResponse;

  @UsageField('Messages of this month')
  messagesPerMonth?: LimitUsageResponse;

  @UsageField('Distinct recipients of this month')
  recipientsPerMonth?: LimitUsageResponse;
}

class SimHealthResponse {
  @ApiProperty({
    enum: BREAKER_STATES,
    description:
      'open: most of its messages fail or are no longer delivered, and pools do not use it; half-open: it takes one message at a time to find out',
    example: 'closed',
  })
  state!: BreakerState;

  @ApiProperty({
    description:
      'Share of its latest messages that failed, 0 to 1; those that the recipient or the text caused do not count',
    example: 0.02,
  })
  failureRate!: number;

  @OptionalTime('Since when it is open or half-open, or closed again; absent if it never opened')
  since?: Date;
}

/** A SIM, or the phone itself if it reports none. */
export class AccountSimResponse {
  @Id('SIM id')
  _id!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Device it was last seen in; absent once that is deleted',
    example: '665f1c2ab7e1d4a9c0f3e812',
  })
  device?: string;

  @ApiPropertyOptional({
    description: 'Android subscription id; absent if it is in no phone now, or its phone reports no SIMs',
    example: 1,
  })
  subscriptionId?: number;

  @ApiPropertyOptional({ description: 'ICCID, if the phone can read it', example: '8949020000000000000' })
  iccId?: string;

  @ApiPropertyOptional({ description: "Owner's label", example: 'Work' })
  label?: string;

  @ApiPropertyOptional({ description: 'Phone number, set by the owner', example: '+4915112345678' })
  phoneNumber?: string;

  @ApiPropertyOptional({ description: 'Mobile network operator', example: 'Example Mobile' })
  carrierName?: string;

  @ApiPropertyOptional({ description: 'Two-letter country code', example: 'de' })
  countryIso?: string;

  @ApiProperty({ description: 'Whether messages go out from it' })
  enabled!: boolean;

  @ApiProperty({ description: 'Whether it sends' })
  health!: SimHealthResponse;

  @ApiProperty({ description: 'The limits that are set' })
  limits!: SimLimitsResponse;

  @ApiProperty({ description: 'What is used of the limits that are set, since they were' })
  usage!: SimUsageResponse;
}

export const toAccountSimResponse = ({ sim, usage, health }: SimView): AccountSimResponse => ({
  _id: sim._id.toHexString(),
  device: sim.device?.toHexString(),
  subscriptionId: sim.isPresent ? sim.subscriptionId : undefined,
  iccId: sim.iccId,
  label: sim.label,
  phoneNumber: sim.phoneNumber,
  carrierName: sim.carrierName,
  countryIso: sim.countryIso,
  enabled: sim.enabled,
  health: {
    state: health.state,
    failureRate: Math.round(health.failureRate * 1_000) / 1_000,
    since: health.since,
  },
  limits: sim.limits ?? {},
  usage,
});
