import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushCommand } from '../../push/transport/push-transport';

type SmsSource = Pick<
  OutgoingMessage,
  '_id' | 'smsBatch' | 'message' | 'encryptedMessage' | 'recipient' | 'simSubscriptionId' | 'validUntil'
>;

/** A message for a phone to send. */
export interface SmsPayload {
  readonly smsId: string;
  readonly smsBatchId: string;
  /** Empty if it is encrypted. */
  readonly message: string;
  readonly encrypted?: true;
  readonly encryptedMessage?: string;
  /** The recipient; always one. */
  readonly recipients: readonly string[];
  /** The SIM to send from. */
  readonly simSubscriptionId?: number;
  /** The phone must not send it at or after this time. */
  readonly validUntil?: Date;
}

/** The payload of a push for one message; FCM carries it in the data field `smsData`. */
export function toSmsPayload(message: SmsSource): SmsPayload {
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
