import type { Message } from '../messages/message.schema';
import type { PushCommand } from '../push/push-transport';

/** What a phone is given to send one message; over FCM it travels as `smsData`. */
export interface SmsPayload {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly message: string;
  readonly recipients: readonly [string];
  readonly simSubscriptionId?: number;
}

export function smsPayload(message: Message): SmsPayload {
  return {
    smsId: message._id.toHexString(),
    smsBatchId: message.smsBatch?.toHexString() ?? '',
    message: message.message,
    recipients: [message.recipient ?? ''],
    ...(message.simSubscriptionId !== undefined && { simSubscriptionId: message.simSubscriptionId }),
  };
}

export function smsCommand(message: Message): PushCommand {
  return { kind: 'sms', id: message._id.toHexString(), payload: { ...smsPayload(message) } };
}
