import { Types } from 'mongoose';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushCommand } from '../../push/push-transport';
import type { PendingSmsResponse } from '../dto/phone-messages.response';
import type { SendEntry } from '../sends/send-validation';

type SmsSource = Pick<
  OutgoingMessage,
  '_id' | 'smsBatch' | 'message' | 'encryptedMessage' | 'recipient' | 'simSubscriptionId' | 'validUntil'
>;

/** The payload of a push for one message; FCM carries it in the data field `smsData`. */
export function toSmsPayload(message: SmsSource): Readonly<PendingSmsResponse> {
  return {
    smsId: message._id.toHexString(),
    smsBatchId: message.smsBatch.toHexString(),
    message: message.message,
    ...(message.encryptedMessage !== undefined && {
      encrypted: true,
      encryptedMessage: message.encryptedMessage,
    }),
    recipients: [message.recipient],
    ...(message.simSubscriptionId !== undefined && { simSubscriptionId: message.simSubscriptionId }),
    ...(message.validUntil && { validUntil: message.validUntil }),
  };
}

export function toSmsCommand(message: SmsSource): PushCommand {
  const { validUntil } = message;
  return {
    kind: 'sms',
    id: message._id.toHexString(),
    payload: { ...toSmsPayload(message) },
    ...(validUntil && { validUntil }),
  };
}

/** The longest command of a send entry: the one for its longest recipient. */
export function longestSmsCommand(entry: SendEntry): PushCommand {
  const { recipients } = entry;
  const recipient = recipients.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
  const anyId = new Types.ObjectId();
  return toSmsCommand({ ...entry, _id: anyId, smsBatch: anyId, recipient });
}
