import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import type { Chance } from './chance';
import type { SendEvidence } from './evidence';
import type { PlannedSend } from './work-plan';

const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1_000;
const MAX_IMPATIENCE_MS = 120;
const IMPATIENT_TRIES = 2;
const MAX_RESEND_DELAY_MS = 10_000;
/** Refusals of the moment: 408 is what a process that was frozen answers to what waited at its door. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** A program that sends: it repeats each send under its key, at any API process, until one answers with a 2xx. */
export class Sender {
  constructor(
    private readonly api: ApiClient,
    private readonly apiUrls: readonly string[],
    private readonly chance: Chance,
    private readonly onFault: (fault: string) => void,
  ) {}

  /** Makes a send. Resolves once it is accepted, or refused for good. */
  async send(planned: PlannedSend, device: string): Promise<SendEvidence> {
    const { key, text, recipients, manner } = planned;
    const ids: (string | undefined)[] = [];
    if (manner === 'twice at once') {
      ids.push(
        ...(await Promise.all([this.untilAnswered(planned, device), this.untilAnswered(planned, device)])),
      );
    } else {
      ids.push(await this.untilAnswered(planned, device));
    }
    if (manner === 'again later') {
      await sleep(this.chance.between(0, MAX_RESEND_DELAY_MS));
      ids.push(await this.untilAnswered(planned, device));
    }
    const batches = [...new Set(ids.filter((id) => id !== undefined))];
    return { key, device, text, recipients, batches };
  }

  private async untilAnswered(planned: PlannedSend, device: string): Promise<string | undefined> {
    const { route, key, manner } = planned;
    for (let tries = 1; ; tries += 1) {
      const isImpatient = manner === 'impatient' && tries <= IMPATIENT_TRIES;
      try {
        const { status, body } = await this.api.call(this.chance.pick(this.apiUrls), {
          method: 'POST',
          path: `gateway/${route}`,
          body: bodyOf(planned, device),
          idempotencyKey: key,
          ...(isImpatient && { timeoutMs: Math.ceil(this.chance.between(5, MAX_IMPATIENCE_MS)) }),
        });
        if (status >= 200 && status < 300) return (body as { data: { smsBatchId: string } }).data.smsBatchId;
        if (status < 500 && !PASSING.has(status)) {
          this.onFault(`send ${key} was refused with ${status}: ${JSON.stringify(body)}`);
          return undefined;
        }
      } catch {
        // Nobody knows what became of it: asked again under the same key.
      }
      await sleep(this.chance.between(MIN_PAUSE_MS, MAX_PAUSE_MS));
    }
  }
}

function bodyOf({ route, text, recipients }: PlannedSend, deviceId: string): object {
  if (route === 'send-sms') return { deviceId, message: text, recipients };
  const half = Math.ceil(recipients.length / 2);
  return {
    deviceId,
    messages: [recipients.slice(0, half), recipients.slice(half)]
      .filter((part) => part.length > 0)
      .map((part) => ({ message: text, recipients: part })),
  };
}
