import { contactNumber, dialingCountry } from '../../common/contact-number';
import type { SendPlanMessage } from '../sends/send-plan';
import type { Assignment } from './assignment';

interface AssignedRecipients {
  readonly assignment: Assignment;
  readonly defaultCountry: string | undefined;
}

/** The recipient of a planned message in comparable form. */
export function recipientNumber(
  { assignment, defaultCountry }: AssignedRecipients,
  { recipient, sender, entry }: SendPlanMessage,
): string {
  const { contactNumberOf } = assignment;
  if (contactNumberOf) return contactNumberOf(recipient);
  return contactNumber(recipient, dialingCountry({ defaultCountry }, sender.device, entry.simSubscriptionId));
}
