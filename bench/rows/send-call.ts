import { deviceAt, recipientOf, TEXT } from '../documents';
import type { Call } from '../http-client';
import type { Tenant } from '../tenant';

/** A send to a number of recipients, from each device in turn. @param number the number of the send. */
export function sendCall(tenant: Tenant, number: number, recipients: number): Call {
  const first = number * recipients;
  return {
    method: 'POST',
    path: 'gateway/send-sms',
    apiKey: tenant.apiKey,
    body: {
      deviceId: deviceAt(tenant, number).toHexString(),
      message: TEXT,
      recipients: Array.from({ length: recipients }, (_, index) => recipientOf(first + index)),
    },
  };
}
