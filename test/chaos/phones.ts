import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Fate,
  heartbeatBody,
  incomingSms,
  PhoneApi,
  registrationBody,
  ReportOutbox,
  type SmsCommand,
  VirtualPhone,
} from 'messaging-gateway-phone';
import type { SeededRandom } from './seeded-random';
import type { SentSms } from './evidence';

export interface ChaosPhone {
  readonly device: string;
  readonly transport: 'stream' | 'fcm';
  sentSms(): SentSms[];
  /** Uploads an incoming SMS until a 2xx response. @returns its fingerprint. */
  upload(sender: string, text: string, isDuplicated: boolean): Promise<string>;
  /** Whether there is nothing to send or report. */
  isIdle(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface PhoneSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name: string;
  readonly sendDelaySeconds: number;
  readonly seed: number;
  readonly onError: (error: string) => void;
  /** Called when the service answers a report with 404, as for a message that retention has removed. */
  readonly onRefusedReport: (smsId: string, status: string) => void;
}

const FAILURE_RATE = 0.04;
const DELIVERED_AFTER_SECONDS = 0.3;
const REPORT_CONCURRENCY = 6;
const RETRY_INTERVAL_MS = 250;

/** A phone on a stream, which remembers received messages after a restart. */
export class StreamPhone implements ChaosPhone {
  readonly transport = 'stream';
  private readonly phone: VirtualPhone;
  private isOff = false;

  private constructor(private readonly settings: PhoneSettings) {
    const { baseUrl, apiKey, name, sendDelaySeconds, seed, onError } = settings;
    this.phone = new VirtualPhone({
      baseUrl,
      apiKey,
      name,
      serial: name,
      sendDelaySeconds,
      seed,
      failureRate: FAILURE_RATE,
      deliveryDelaySeconds: seed % 4 === 0 ? null : DELIVERED_AFTER_SECONDS,
      reportConcurrency: REPORT_CONCURRENCY,
      stream: { maxBackoffMs: 2_000 },
      airLogLimit: Number.MAX_SAFE_INTEGER,
      ledger: { limit: Number.MAX_SAFE_INTEGER },
    });
    this.phone.on('reported', ({ smsId, status, end }) => {
      if (end === 'refused') settings.onRefusedReport(smsId, status);
    });
    this.phone.on('failure', (message) => {
      if (message.startsWith('the service refused the stream')) onError(`${name}: ${message}`);
    });
  }

  static async start(settings: PhoneSettings): Promise<StreamPhone> {
    const phone = new StreamPhone(settings);
    await phone.phone.start();
    return phone;
  }

  get device(): string {
    return this.phone.deviceId;
  }

  sentSms(): SentSms[] {
    return this.phone.airLog.map(({ smsId, smsBatchId, recipient, text, fate }) => ({
      device: this.device,
      smsId,
      batch: smsBatchId,
      recipient,
      text,
      fate,
    }));
  }

  /** Stops abruptly and restarts after a while with its memory. */
  async crash(downMs: number): Promise<void> {
    if (this.isOff) return;
    this.isOff = true;
    await this.phone.stop();
    await sleep(downMs);
    for (;;) {
      try {
        await this.phone.start();
        break;
      } catch {
        await sleep(RETRY_INTERVAL_MS);
      }
    }
    this.isOff = false;
  }

  async upload(sender: string, text: string, isDuplicated: boolean): Promise<string> {
    const at = Date.now();
    const sms = incomingSms(sender, text, at);
    if (isDuplicated) void this.phone.api.uploadIncoming(this.device, sms).catch(() => undefined);
    for (;;) {
      // A stopped phone rejects, a crashing one abandons; both upload again later.
      const end = await this.phone.receiveSms(sender, text, at).catch(() => 'abandoned' as const);
      if (end === 'refused') this.settings.onError(`the upload ${sms.fingerprint} was refused`);
      if (end !== 'abandoned') return sms.fingerprint;
      await sleep(RETRY_INTERVAL_MS);
    }
  }

  async isIdle(): Promise<boolean> {
    if (this.isOff) return false;
    return this.phone.untilIdle(1).then(
      () => true,
      () => false,
    );
  }

  stop(): Promise<void> {
    return this.phone.stop();
  }
}

/** A phone behind FCM that does not recognise duplicates: it sends an SMS for each push. */
export class FcmPhone implements ChaosPhone {
  readonly transport = 'fcm';
  private readonly smsLog: SentSms[] = [];
  private readonly outbox: ReportOutbox;
  private awaitingCarrier = 0;

  private constructor(
    readonly device: string,
    private readonly api: PhoneApi,
    private readonly random: SeededRandom,
    private readonly settings: PhoneSettings,
  ) {
    this.outbox = new ReportOutbox({ concurrency: REPORT_CONCURRENCY });
  }

  static async register(settings: PhoneSettings, token: string, chance: SeededRandom): Promise<FcmPhone> {
    const { baseUrl, apiKey, name, sendDelaySeconds } = settings;
    const api = new PhoneApi({ baseUrl, apiKey });
    const handset = { name, serial: name, sendDelaySeconds, receiveSmsEnabled: true };
    const { _id } = await api.registerDevice({
      ...registrationBody(handset),
      pushTransport: 'fcm',
      fcmToken: token,
    });
    await api.heartbeat(_id, heartbeatBody(handset));
    return new FcmPhone(_id, api, chance, settings);
  }

  /** Sends the message of a push, even if it is a duplicate. */
  receivePush(command: SmsCommand): void {
    const { smsId, smsBatchId, message, recipients } = command;
    const fate = this.pickFate();
    this.smsLog.push({
      device: this.device,
      smsId,
      batch: smsBatchId,
      recipient: recipients[0],
      text: message,
      fate,
    });
    if (fate === 'failed') {
      this.report(command, 'FAILED', { failedAtInMillis: Date.now(), errorCode: '1' });
      return;
    }
    const sentAtInMillis = Date.now();
    this.report(command, 'SENT', { sentAtInMillis });
    if (fate === 'sent') return;
    this.awaitingCarrier += 1;
    setTimeout(() => {
      this.awaitingCarrier -= 1;
      this.report(command, 'DELIVERED', { sentAtInMillis, deliveredAtInMillis: Date.now() });
    }, DELIVERED_AFTER_SECONDS * 1_000);
  }

  sentSms(): SentSms[] {
    return [...this.smsLog];
  }

  async upload(sender: string, text: string, isDuplicated: boolean): Promise<string> {
    const sms = incomingSms(sender, text, Date.now());
    const upload = () => this.api.uploadIncoming(this.device, sms);
    if (isDuplicated) void upload().catch(() => undefined);
    const end = await this.outbox.put(`incoming ${sms.fingerprint}`, upload);
    if (end === 'refused') this.settings.onError(`the upload ${sms.fingerprint} was refused`);
    return sms.fingerprint;
  }

  isIdle(): Promise<boolean> {
    return Promise.resolve(this.outbox.isEmpty && this.awaitingCarrier === 0);
  }

  stop(): Promise<void> {
    this.outbox.stop();
    this.api.close();
    return Promise.resolve();
  }

  private pickFate(): Fate {
    if (this.random.happens(FAILURE_RATE)) return 'failed';
    return this.random.happens(0.1) ? 'sent' : 'delivered';
  }

  private report({ smsId, smsBatchId }: SmsCommand, status: string, fields: object): void {
    const report = { smsId, smsBatchId, status, ...fields };
    void this.outbox
      .put(smsId, () => this.api.reportStatus(this.device, report))
      .then((end) => {
        if (end === 'refused') this.settings.onRefusedReport(smsId, status);
      });
  }
}
