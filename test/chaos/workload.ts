import { setTimeout as sleep } from 'node:timers/promises';
import type { SendEvidence, UploadEvidence } from './evidence';
import type { PhoneSet } from './phone-set';
import type { Sender } from './sender';
import type { WorkPlan } from './work-plan';

/** What is sent and received in a run, and what came of it. */
export class Workload {
  readonly sends: SendEvidence[] = [];
  readonly uploads: UploadEvidence[] = [];
  /** Calls that are due later or not answered yet. */
  open = 0;
  private isStopped = false;

  constructor(
    private readonly phones: PhoneSet,
    private readonly sender: Sender,
    private readonly onFault: (fault: string) => void,
  ) {}

  /** Makes each call when it is due; returns at once. */
  start({ sends, uploads }: WorkPlan): void {
    for (const planned of sends) {
      void this.doAt(planned.at, async () => {
        const phone = this.phones.at(planned.phone);
        if (phone) this.sends.push(await this.sender.send(planned, phone.device));
      });
    }
    for (const { at, phone: index, sender: from, text, isTwiceAtOnce } of uploads) {
      void this.doAt(at, async () => {
        const phone = this.phones.at(index);
        if (!phone) return;
        const fingerprint = await phone.upload(from, text, isTwiceAtOnce);
        this.uploads.push({ device: phone.device, fingerprint });
      });
    }
  }

  /** Begins no more calls. */
  stop(): void {
    this.isStopped = true;
  }

  private async doAt(at: number, work: () => Promise<void>): Promise<void> {
    this.open += 1;
    await sleep(at);
    if (this.isStopped) return;
    try {
      await work();
    } catch (failure) {
      this.onFault(`the chaos test itself failed: ${String(failure)}`);
    } finally {
      this.open -= 1;
    }
  }
}
