import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Unsettled } from './database-view';
import type { PhoneSet } from './phone-set';
import type { ProgressLog } from './progress-log';
import type { ServiceAccess } from './service-access';
import type { Workload } from './workload';

/** Without progress. Phones send large sends at one message a second, so that much may take minutes. */
const STALL_TIMEOUT_MS = 120_000;
const CHECK_INTERVAL_MS = 1_000;
const PROGRESS_INTERVAL_MS = 10_000;

/** Deliveries with a later attempt are redelivered manually. */
const MAX_DELIVERY_DELAY_MS = 20_000;

/** Waits until all messages, events and deliveries of a run are settled. */
export class SettlementWaiter {
  private readonly redelivered = new Set<string>();

  constructor(
    private readonly access: ServiceAccess,
    private readonly phones: PhoneSet,
    private readonly work: Workload,
    private readonly folder: string,
    private readonly progress: ProgressLog,
    private readonly onError: (error: string) => void,
  ) {}

  get manualRedeliveries(): number {
    return this.redelivered.size;
  }

  /** Waits until everything is settled, or nothing more becomes settled. */
  async waitUntilSettled(): Promise<void> {
    const streamDevices = this.phones.streams.map(({ device }) => device);
    let deadline = Date.now() + STALL_TIMEOUT_MS;
    let least = Infinity;
    let loggedAt = Date.now();
    let calmChecks = 0;
    let unsettled: Unsettled | undefined;
    while (Date.now() < deadline) {
      await sleep(CHECK_INTERVAL_MS);
      const areIdle = await this.phones.areIdle();
      unsettled = await this.access.view.countUnsettled(streamDevices);
      await this.redeliverLate();
      const count = Object.values<number>({ ...unsettled }).reduce(
        (sum, each) => sum + each,
        this.work.pendingCalls,
      );
      if (count < least) [least, deadline] = [count, Date.now() + STALL_TIMEOUT_MS];
      const isCalm = areIdle && count === 0;
      calmChecks = isCalm ? calmChecks + 1 : 0;
      if (calmChecks === 2) return;
      if (Date.now() - loggedAt > PROGRESS_INTERVAL_MS) {
        loggedAt = Date.now();
        this.progress.log(`not settled yet: ${this.work.pendingCalls} calls, ${JSON.stringify(unsettled)}`);
      }
    }
    const file = join(this.folder, 'waiting-messages.json');
    writeFileSync(file, JSON.stringify(await this.access.view.waitingMessages(), undefined, 2));
    this.onError(
      `not settled, and unchanged for ${STALL_TIMEOUT_MS / 1_000} s: ${this.work.pendingCalls} calls, ${JSON.stringify(unsettled)}; see ${file}`,
    );
  }

  private async redeliverLate(): Promise<void> {
    const { api, baseUrl, view } = this.access;
    for (const id of await view.findLateDeliveries(new Date(Date.now() + MAX_DELIVERY_DELAY_MS))) {
      if (this.redelivered.has(id)) continue;
      this.redelivered.add(id);
      await api.data(baseUrl, { method: 'POST', path: `webhooks/notifications/${id}/redeliver` });
    }
  }
}
