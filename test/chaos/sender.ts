import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import type { SeededRandom } from './seeded-random';
import type { SendEvidence } from './evidence';
import type { SendTarget } from './phone-pools';
import type { PlannedSend } from './work-plan';

const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1_000;
const MAX_CLIENT_TIMEOUT_MS = 120;
const IMPATIENT_ATTEMPTS = 2;
const MAX_RESEND_DELAY_MS = 10_000;
/** 408 is the response of a frozen process to requests that waited. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A client that repeats each send with its idempotency key, at any API process, until a 2xx response. */
export class Sender {
  constructor(
    private readonly api: ApiClient,
    private readonly apiUrls: readonly string[],
    private readonly random: SeededRandom,
    private readonly onError: (error: string) => void,
  ) {}

  /** Sends until accepted or refused. */
  async send(planned: PlannedSend, target: SendTarget): Promise<SendEvidence> {
    const { key, text, recipients, behavior } = planned;
    const { device, pool } = target;
    const ids: (string | undefined)[] = [];
    if (behavior === 'twice at once') {
      ids.push(
        ...(await Promise.all([
          this.sendUntilAccepted(planned, target),
          this.sendUntilAccepted(planned, target),
        ])),
      );
    } else {
      ids.push(await this.sendUntilAccepted(planned, target));
    }
    if (behavior === 'again later') {
      await sleep(this.random.between(0, MAX_RESEND_DELAY_MS));
      ids.push(await this.sendUntilAccepted(planned, target));
    }
    const batches = [...new Set(ids.filter((id) => id !== undefined))];
    return { key, device, pool, text, recipients, batches };
  }

  private async sendUntilAccepted(planned: PlannedSend, target: SendTarget): Promise<string | undefined> {
    const { route, key, behavior } = planned;
    for (let attempt = 1; ; attempt += 1) {
      const isImpatient = behavior === 'impatient' && attempt <= IMPATIENT_ATTEMPTS;
      try {
        const { status, body } = await this.api.call(this.random.pick(this.apiUrls), {
          method: 'POST',
          path: `gateway/${route}`,
          body: bodyOf(planned, target),
          idempotencyKey: key,
          ...(isImpatient && { timeoutMs: Math.ceil(this.random.between(5, MAX_CLIENT_TIMEOUT_MS)) }),
        });
        if (status >= 200 && status < 300) return (body as { data: { smsBatchId: string } }).data.smsBatchId;
        if (status < 500 && !RETRYABLE_STATUSES.has(status)) {
          this.onError(`send ${key} was refused with ${status}: ${JSON.stringify(body)}`);
          return undefined;
        }
      } catch {
        // The result is unknown, so repeat with the same key.
      }
      await sleep(this.random.between(MIN_PAUSE_MS, MAX_PAUSE_MS));
    }
  }
}

function bodyOf({ route, text, recipients }: PlannedSend, { device: deviceId, poolId }: SendTarget): object {
  if (route === 'send-sms') return { deviceId, poolId, message: text, recipients };
  const half = Math.ceil(recipients.length / 2);
  return {
    deviceId,
    poolId,
    messages: [recipients.slice(0, half), recipients.slice(half)]
      .filter((part) => part.length > 0)
      .map((part) => ({ message: text, recipients: part })),
  };
}
