import { setTimeout as sleep } from 'node:timers/promises';
import type { SendEvidence, UploadEvidence } from './evidence';
import type { PhonePool } from './phone-pools';
import type { PhoneSet } from './phone-set';
import type { Sender } from './sender';
import type { WorkPlan } from './work-plan';

/** Executes a work plan and collects the evidence. */
export class Workload {
  readonly sends: SendEvidence[] = [];
  readonly uploads: UploadEvidence[] = [];
  /** Calls that are scheduled or have no response yet. */
  pendingCalls = 0;
  private isStopped = false;

  constructor(
    private readonly phones: PhoneSet,
    private readonly pools: readonly PhonePool[],
    private readonly sender: Sender,
    private readonly onError: (error: string) => void,
  ) {}

  /** Schedules all calls and returns immediately. */
  start({ sends, uploads }: WorkPlan): void {
    for (const planned of sends) {
      void this.runAt(planned.at, async () => {
        const { phone, pool } = planned.to;
        const target =
          pool === undefined ? { device: this.phones.at(phone)?.device } : (this.pools[pool] ?? {});
        this.sends.push(await this.sender.send(planned, target));
      });
    }
    for (const { at, phone: index, sender: from, text, isDuplicated } of uploads) {
      void this.runAt(at, async () => {
        const phone = this.phones.at(index);
        if (!phone) return;
        const fingerprint = await phone.upload(from, text, isDuplicated);
        this.uploads.push({ device: phone.device, fingerprint });
      });
    }
  }

  /** Starts no further calls. */
  stop(): void {
    this.isStopped = true;
  }

  private async runAt(at: number, work: () => Promise<void>): Promise<void> {
    this.pendingCalls += 1;
    await sleep(at);
    if (this.isStopped) return;
    try {
      await work();
    } catch (failure) {
      this.onError(`the chaos test itself failed: ${String(failure)}`);
    } finally {
      this.pendingCalls -= 1;
    }
  }
}
