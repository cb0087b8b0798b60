import { setTimeout as sleep } from 'node:timers/promises';
import type { Unsettled } from './database-view';
import type { PhoneSet } from './phone-set';
import type { ChaosScreen } from './screen';
import type { Site } from './site';
import type { Workload } from './workload';

const SETTLE_WITHIN_MS = 240_000;
const CHECK_INTERVAL_MS = 1_000;
const SAY_EVERY_MS = 10_000;

/** A delivery that is due later than this is asked for by hand, as an operator would. */
const LATE_MS = 20_000;

/** Waits for the end of all that a run has set going. */
export class Settling {
  private readonly redelivered = new Set<string>();

  constructor(
    private readonly site: Site,
    private readonly phones: PhoneSet,
    private readonly work: Workload,
    private readonly screen: ChaosScreen,
    private readonly onFault: (fault: string) => void,
  ) {}

  get redeliveredByHand(): number {
    return this.redelivered.size;
  }

  /** Waits until nothing moves any more. What has not settled in time shows in the evidence. */
  async untilQuiet(): Promise<void> {
    const streamDevices = this.phones.streams.map(({ device }) => device);
    const end = Date.now() + SETTLE_WITHIN_MS;
    let saidAt = Date.now();
    let calmLooks = 0;
    let left: Unsettled | undefined;
    while (Date.now() < end) {
      await sleep(CHECK_INTERVAL_MS);
      const areIdle = await this.phones.areIdle();
      left = await this.site.view.unsettled(streamDevices);
      await this.redeliverLate();
      const isCalm = this.work.open === 0 && areIdle && Object.values(left).every((count) => count === 0);
      calmLooks = isCalm ? calmLooks + 1 : 0;
      if (calmLooks === 2) return;
      if (Date.now() - saidAt > SAY_EVERY_MS) {
        saidAt = Date.now();
        this.screen.say(`still to settle: ${this.work.open} calls, ${JSON.stringify(left)}`);
      }
    }
    this.onFault(
      `not settled after ${SETTLE_WITHIN_MS / 1_000} s: ${this.work.open} calls, ${JSON.stringify(left)}`,
    );
  }

  private async redeliverLate(): Promise<void> {
    const { api, baseUrl, view } = this.site;
    for (const id of await view.lateDeliveries(new Date(Date.now() + LATE_MS))) {
      if (this.redelivered.has(id)) continue;
      this.redelivered.add(id);
      await api.data(baseUrl, { method: 'POST', path: `webhooks/notifications/${id}/redeliver` });
    }
  }
}
