import type { OutgoingMessage } from '../../messages/message.schema';

/** The app skips its own limits and pauses from here on. */
const URGENT = 100;

/** A message as the app fetches it. Its dates have milliseconds, because the app misreads more. */
export function toListedMessage(message: OutgoingMessage) {
  const { _id, message: text, recipient, simSubscriptionId, validUntil, priority, createdAt } = message;
  return {
    id: _id.toHexString(),
    message: text, // for old versions of the app
    textMessage: { text },
    phoneNumbers: [recipient], // always one, so that the states of the app are those of a message
    // From 1; absent: the default of the phone.
    ...(simSubscriptionId !== undefined && { simNumber: simSubscriptionId }),
    withDeliveryReport: true,
    isEncrypted: false,
    priority: priority === 'urgent' ? URGENT : 0,
    ...(validUntil && { validUntil: validUntil.toISOString() }),
    state: 'Pending',
    createdAt: createdAt.toISOString(),
  };
}
