import type { OutgoingMessage } from '../../messages/message.schema';

/** The app skips its own limits and pauses from here on. */
const URGENT = 100;

/** A message as the app fetches it. Its dates have milliseconds, because the app misreads more. */
export interface ListedMessage {
  readonly id: string;
  /** For old versions of the app. */
  readonly message: string;
  readonly textMessage: { readonly text: string };
  /** Always one, so that the states of the app are those of a message. */
  readonly phoneNumbers: readonly string[];
  /** From 1; absent: the default of the phone. */
  readonly simNumber?: number;
  readonly withDeliveryReport: true;
  readonly isEncrypted: false;
  readonly priority: number;
  readonly validUntil?: string;
  readonly state: 'Pending';
  readonly createdAt: string;
}

export function toListedMessage(message: OutgoingMessage): ListedMessage {
  const { _id, message: text, recipient, simSubscriptionId, validUntil, priority, createdAt } = message;
  return {
    id: _id.toHexString(),
    message: text,
    textMessage: { text },
    phoneNumbers: [recipient],
    ...(simSubscriptionId !== undefined && { simNumber: simSubscriptionId }),
    withDeliveryReport: true,
    isEncrypted: false,
    priority: priority === 'urgent' ? URGENT : 0,
    ...(validUntil && { validUntil: validUntil.toISOString() }),
    state: 'Pending',
    createdAt: createdAt.toISOString(),
  };
}
