import { Transform, Type } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { parseCidr } from '../cidr';
import { Variable } from '../environment';

function isCidr(text: unknown): boolean {
  return typeof text === 'string' && parseCidr(text) !== undefined;
}

export class WebhooksConfig {
  /** Subscriptions an account may have. */
  @Variable('WEBHOOK_MAX_SUBSCRIPTIONS')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxSubscriptions: number = 10;

  /** Private networks that deliveries may reach, such as an intranet. */
  @Variable('WEBHOOK_ALLOWED_CIDRS')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((range) => range.trim()) : value,
  )
  @ValidateBy(
    { name: 'isCidr', validator: { validate: isCidr } },
    { each: true, message: 'must be ranges such as 10.0.0.0/8, with commas between them' },
  )
  readonly allowedCidrs: readonly string[] = [];

  /** A subscription is paused when it has failed for at least this long and ... */
  @Variable('WEBHOOK_PAUSE_AFTER_HOURS')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(8_760)
  readonly pauseAfterHours: number = 72;

  /** ... at least this many attempts, all of them, have failed. */
  @Variable('WEBHOOK_PAUSE_AFTER_FAILURES')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  readonly pauseAfterFailures: number = 20;
}
