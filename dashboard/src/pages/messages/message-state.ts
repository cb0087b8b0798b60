import type { MessageResponse } from '../../../generated';
import type { Failure } from '../../components/failure-text';
import { shownStatusOf } from '../../components/message-status';

/** A phone that has a message answers within seconds. */
const SILENCE_MS = 60_000;

type WaitReason = NonNullable<MessageResponse['waitingFor']>['reason'];

/** What a line of the list says about a message, besides its status. */
export type MessageState =
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' | 'suppressed'; readonly at?: string }
  | { readonly kind: 'waits'; readonly reason: WaitReason; readonly until?: string }
  | { readonly kind: 'due'; readonly at: string }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'unanswered' | 'unreported'; readonly forMs: number }
  | { readonly kind: 'handedOver' | 'sent' | 'received'; readonly at?: string }
  | { readonly kind: 'delivered'; readonly at?: string; readonly sentAt?: string }
  | { readonly kind: 'unknown' };

/** @param now in milliseconds since 1970. */
export function stateOf(message: MessageResponse, now: number): MessageState {
  switch (message.status) {
    case 'pending':
      return pendingState(message, now);
    case 'dispatched':
      return dispatchedState(message, now);
    case 'sent':
      return { kind: 'sent', at: message.sentAt };
    case 'delivered':
      return { kind: 'delivered', at: message.deliveredAt, sentAt: message.sentAt };
    case 'received':
      return { kind: 'received', at: message.receivedAt ?? message.createdAt };
    case 'failed':
      return failedState(message);
    case 'unknown':
    case undefined:
      return { kind: 'unknown' };
  }
}

function pendingState({ waitingFor, dispatchDueAt }: MessageResponse, now: number): MessageState {
  if (waitingFor) return { kind: 'waits', ...waitingFor };
  if (dispatchDueAt && Date.parse(dispatchDueAt) > now) return { kind: 'due', at: dispatchDueAt };
  return { kind: 'leaving' };
}

function dispatchedState(message: MessageResponse, now: number): MessageState {
  const { pushReceivedAt, dispatchedAt } = message;
  const since = Date.parse(pushReceivedAt ?? dispatchedAt ?? message.updatedAt);
  const forMs = now - since;
  if (forMs < SILENCE_MS) return { kind: 'handedOver', at: dispatchedAt };
  return { kind: pushReceivedAt ? 'unreported' : 'unanswered', forMs };
}

/** What its owner or its recipient wanted is no failure. */
function failedState(message: MessageResponse): MessageState {
  const shown = shownStatusOf(message);
  if (shown === 'cancelled' || shown === 'suppressed') return { kind: shown, at: message.failedAt };
  return { kind: 'failed', failure: message };
}

export const canBeCancelled = ({ status }: MessageResponse): boolean =>
  status === 'pending' || status === 'dispatched';

/** Whether the API may move it: one that is being handed over is refused. */
export const canBeMoved = ({ status, direction }: MessageResponse): boolean =>
  status === 'pending' && direction !== 'received';

/** What failed, or may not have been sent, can be sent again; so can any other sent message, from its own page. */
export const needsSendingAgain = ({ status, errorCode }: MessageResponse): boolean =>
  status === 'failed' && errorCode !== 'SUPPRESSED';

export const numberOf = ({ direction, sender, recipient }: MessageResponse): string =>
  (direction === 'received' ? sender : recipient) ?? '';
