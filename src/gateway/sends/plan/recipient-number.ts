import { peerNumber, dialingCountry } from '../../../common/peer-number';
import type { SendPlanMessage } from './send-plan';
import type { Assignment } from '../../senders/assignment';

interface AssignedRecipients {
  readonly assignment: Assignment;
  readonly defaultCountry: string | undefined;
}

/** The recipient of a planned message in comparable form. */
export function recipientNumber(
  { assignment, defaultCountry }: AssignedRecipients,
  { recipient, sender, entry }: Pick<SendPlanMessage, 'recipient' | 'sender' | 'entry'>,
): string {
  const { peerNumberOf } = assignment;
  if (peerNumberOf) return peerNumberOf(recipient);
  return peerNumber(recipient, dialingCountry({ defaultCountry }, sender.device, entry.simSubscriptionId));
}
