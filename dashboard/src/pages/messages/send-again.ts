import type { MessageResponse, SendSmsRequest } from '../../../generated';

/** The send that would repeat a message: same text, number, priority, and the same pool, or phone and SIM if it is still there. */
export function sendAgainBody(message: MessageResponse): SendSmsRequest {
  const { recipient, pool, device, simSubscriptionId, priority } = message;
  return {
    ...(message.encrypted
      ? { encrypted: true, encryptedMessage: message.encryptedMessage ?? '' }
      : { message: message.message ?? '' }),
    recipients: [recipient ?? ''],
    ...(pool && { poolId: pool }),
    // Without its phone, it leaves by the default.
    ...(!pool &&
      device.deletedAt === undefined && {
        deviceId: device._id,
        ...(simSubscriptionId !== undefined && { simSubscriptionId }),
      }),
    ...(priority && { priority }),
  };
}

/** A command that makes the same send; the key is a placeholder. */
export function curlOf(message: MessageResponse, origin: string): string {
  const body = JSON.stringify(sendAgainBody(message), null, 2);
  return [
    `curl -X POST ${quoted(`${origin}/api/v1/gateway/send-sms`)}`,
    `-H ${quoted('x-api-key: YOUR_API_KEY')}`,
    `-H ${quoted('content-type: application/json')}`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** Nothing within single quotes is special to a shell, but the quote that ends them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const keys = new Map<string, string>();

/** The same for each attempt to send a message again, until one succeeds: a repeated request sends once. */
export function idempotencyKeyOf(message: string): string {
  // randomUUID exists in secure contexts only.
  const random = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
  const key = keys.get(message) ?? `again-${message}-${random()}`;
  keys.set(message, key);
  return key;
}

export function forgetIdempotencyKey(message: string): void {
  keys.delete(message);
}
