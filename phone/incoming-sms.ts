import { createHash } from 'node:crypto';
import type { IncomingSms } from './wire';

/** The upload of a received message. Its fingerprint lets the service store it once. */
export function incomingSms(sender: string, message: string, receivedAtInMillis: number): IncomingSms {
  const fingerprint = createHash('md5').update(`${sender}|${message}|${receivedAtInMillis}`).digest('hex');
  return { sender, message, receivedAtInMillis, fingerprint };
}
