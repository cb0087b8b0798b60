import { ValidateBy } from 'class-validator';
import { parseCidr } from './cidr';
import { CommaSeparated, IntegerVariable, Variable } from '../environment/environment';

function isCidr(text: unknown): boolean {
  return typeof text === 'string' && parseCidr(text) !== undefined;
}

export class WebhooksConfig {
  @IntegerVariable('WEBHOOK_MAX_SUBSCRIPTIONS', 1, 1_000)
  readonly maxSubscriptions: number = 10;

  /** Private networks that deliveries may reach, such as an intranet. */
  @Variable('WEBHOOK_ALLOWED_CIDRS')
  @CommaSeparated()
  @ValidateBy(
    { name: 'isCidr', validator: { validate: isCidr } },
    { each: true, message: 'must be ranges such as 10.0.0.0/8, with commas between them' },
  )
  readonly allowedCidrs: readonly string[] = [];

  /** A subscription is paused when it has failed for at least this long and ... */
  @IntegerVariable('WEBHOOK_PAUSE_AFTER_HOURS', 1, 8_760)
  readonly pauseAfterHours: number = 72;

  /** ... at least this many attempts, all of them, have failed. */
  @IntegerVariable('WEBHOOK_PAUSE_AFTER_FAILURES', 1, 1_000_000)
  readonly pauseAfterFailures: number = 20;
}
