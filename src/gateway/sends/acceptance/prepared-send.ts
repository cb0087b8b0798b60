import type { Assignment } from '../../senders/assignment';
import type { SendInput } from '../../send-input/send-input';
import type { ValidatedSend } from '../../send-input/send-validation';
import type { IdempotentRequest } from './idempotency.service';

/** A send that was checked and assigned to phones. */
export interface PreparedSend {
  readonly input: SendInput;
  readonly request: ValidatedSend;
  readonly assignment: Assignment;
  readonly billingPlan: string | undefined;
  readonly defaultCountry: string | undefined;
  /** Whether the account has consent switched on. */
  readonly checksConsent: boolean;
  readonly idempotency: IdempotentRequest | undefined;
  /** SMS parts of all messages, of a send to a list. */
  readonly parts?: number;
}
