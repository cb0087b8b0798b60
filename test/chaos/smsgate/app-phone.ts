import { setTimeout as sleep } from 'node:timers/promises';
import type { RadioResult } from '../../support/smsgate/phone-hardware';
import { SmsGateApp, type SmsGateAppOptions } from '../../support/smsgate/smsgate-app';
import type { SeededRandom } from '../seeded-random';
import type { AppPhoneEvidence } from './app-evidence';

/** 10 s of the app are half a second. */
const TIME_SCALE = 0.05;

/** Together three reports of ten or more do not arrive, or their answer does not. */
const LOST_REPORTS = { dropStateReports: 0.15, failStateReports: 0.1, loseReportAnswers: 0.1 };

/** A phone of the run, whose app is cut off, killed and started again. */
export class AppPhone {
  private readonly received: string[] = [];
  private readonly violations: string[] = [];

  private constructor(private app: SmsGateApp) {}

  static async pair(
    apiUrl: string,
    code: string,
    random: SeededRandom,
    now: () => number,
  ): Promise<AppPhone> {
    const options: SmsGateAppOptions = {
      apiUrl,
      credential: { code },
      timeScale: TIME_SCALE,
      now,
      random: () => random.between(0, 1),
      radio: ({ id }) => resultOf(id),
      sentAfter: 2_000,
      deliveredAfter: 4_000,
      reportDelay: 2_000,
      ...LOST_REPORTS,
    };
    return new AppPhone(await new SmsGateApp(options).start());
  }

  get device(): string {
    return this.app.deviceId;
  }

  get airedCount(): number {
    return this.app.aired.length;
  }

  /** Whether all texts were taken by the service. */
  get hasPosted(): boolean {
    return this.app.storage.posts.size === 0;
  }

  cutStream(): void {
    this.app.streams.cut();
  }

  /** An SMS with this text arrives, also while the app is off. */
  receive(text: string): void {
    this.received.push(text);
    this.app.receiveSms({ sender: '+447700900999', text });
  }

  /** Fetches, as the app does every 15 minutes. */
  fetch(): void {
    this.app.fetcher.restart();
  }

  /** Kills the app and starts it again. */
  async restart(offMs: number): Promise<void> {
    this.stop();
    await sleep(offMs);
    this.app = new SmsGateApp({ ...this.app.options, storage: this.app.storage });
    await this.app.start();
  }

  stop(): void {
    this.app.stop();
    this.violations.push(...this.app.violations.splice(0));
  }

  evidence(): AppPhoneEvidence {
    const { storage, violations } = this.app;
    return {
      device: this.device,
      aired: storage.aired.map(({ id }) => id),
      sms: storage.sms,
      received: this.received,
      violations: [...this.violations, ...violations],
    };
  }
}

/** What becomes of an SMS: the same each time. */
function resultOf(id: string): RadioResult {
  const share = parseInt(id.slice(-4), 16) % 20;
  if (share === 0) return { error: 'Send result: RESULT_ERROR_GENERIC_FAILURE' };
  if (share === 1) return { undelivered: 69 };
  return share === 2 ? 'sent' : 'delivered';
}
