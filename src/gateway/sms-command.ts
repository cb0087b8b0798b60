import { Types } from 'mongoose';
import type { Message } from '../messages/message.schema';
import type { PushCommand } from '../push/push-transport';
import type { SendEntry } from './send-order';

/** What a phone is given to send one message; over FCM it travels as `smsData`. */
export interface SmsPayload {
  readonly smsId: string;
  readonly smsBatchId: string;
  /** Empty where the text is encrypted. */
  readonly message: string;
  readonly encrypted?: true;
  readonly encryptedMessage?: string;
  readonly recipients: readonly [string];
  readonly simSubscriptionId?: number;
}

/** What a message is made of that a phone is told. */
type Told = Pick<
  Message,
  '_id' | 'smsBatch' | 'message' | 'encryptedMessage' | 'recipient' | 'simSubscriptionId'
>;

export function smsPayload(message: Told): SmsPayload {
  return {
    smsId: message._id.toHexString(),
    smsBatchId: message.smsBatch?.toHexString() ?? '',
    message: message.message,
    ...(message.encryptedMessage !== undefined && {
      encrypted: true,
      encryptedMessage: message.encryptedMessage,
    }),
    recipients: [message.recipient ?? ''],
    ...(message.simSubscriptionId !== undefined && { simSubscriptionId: message.simSubscriptionId }),
  };
}

export function smsCommand(message: Told): PushCommand {
  return { kind: 'sms', id: message._id.toHexString(), payload: { ...smsPayload(message) } };
}

/** The longest command an entry of a send leads to; ids are all of one length, recipients are not. */
export function longestSmsCommand(entry: SendEntry): PushCommand {
  const { message, encryptedMessage, recipients, simSubscriptionId } = entry;
  const recipient = recipients.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
  const anyId = new Types.ObjectId();
  return smsCommand({ _id: anyId, smsBatch: anyId, message, encryptedMessage, recipient, simSubscriptionId });
}
