import type { ConversationMessage, MessageResponse } from '../../generated';
import type { ShownStatus } from '../components/MessageStatusBadge';

/** The state of a message as people read it: one that was cancelled, or whose recipient is blocked, did not fail. */
export function shownStatusOf({
  status,
  errorCode,
}: Pick<MessageResponse | ConversationMessage, 'status' | 'errorCode'>): ShownStatus {
  if (status === 'failed' && errorCode === 'CANCELLED') return 'cancelled';
  if (status === 'failed' && errorCode === 'SUPPRESSED') return 'suppressed';
  return status ?? 'unknown';
}
