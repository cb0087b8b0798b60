import type { ConversationMessage, MessageResponse } from '../../generated';
import type { ShownStatus } from '../components/MessageStatusBadge';

/** The state of a message as people read it: a cancelled one did not fail. */
export function shownStatusOf({
  status,
  errorCode,
}: Pick<MessageResponse | ConversationMessage, 'status' | 'errorCode'>): ShownStatus {
  if (status === 'failed' && errorCode === 'CANCELLED') return 'cancelled';
  return status ?? 'unknown';
}
