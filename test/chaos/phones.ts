import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeatOf, incomingSms, registrationOf } from '../../tools/virtual-phone/handset';
import { PhoneApi } from '../../tools/virtual-phone/phone-api';
import type { Fate } from '../../tools/virtual-phone/radio';
import { ReportOutbox } from '../../tools/virtual-phone/report-outbox';
import { VirtualPhone } from '../../tools/virtual-phone/virtual-phone';
import type { SmsCommand } from '../../tools/virtual-phone/wire';
import type { Chance } from './chance';
import type { Airing } from './evidence';

/** A phone of the run, whichever way it is pushed to. */
export interface ChaosPhone {
  readonly device: string;
  readonly transport: 'stream' | 'fcm';
  airings(): Airing[];
  /** An SMS comes in; resolves with its fingerprint once an upload was answered with a 2xx. */
  upload(sender: string, text: string, isTwiceAtOnce: boolean): Promise<string>;
  /** Whether nothing is left to put on the air or to report. */
  isIdle(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface PhoneSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name: string;
  readonly sendDelaySeconds: number;
  readonly seed: number;
  readonly onFault: (fault: string) => void;
}

const FAILURE_RATE = 0.04;
const DELIVERED_AFTER_SECONDS = 0.3;
const REPORTS_AT_ONCE = 6;
const AGAIN_MS = 250;

/** A phone on a stream: it knows the messages it has had, also after it was switched off. */
export class StreamPhone implements ChaosPhone {
  readonly transport = 'stream';
  private readonly phone: VirtualPhone;
  private isOff = false;

  private constructor(private readonly settings: PhoneSettings) {
    const { baseUrl, apiKey, name, sendDelaySeconds, seed, onFault } = settings;
    this.phone = new VirtualPhone({
      baseUrl,
      apiKey,
      name,
      serial: name,
      sendDelaySeconds,
      seed,
      failureRate: FAILURE_RATE,
      deliveryDelaySeconds: seed % 4 === 0 ? null : DELIVERED_AFTER_SECONDS,
      reportConcurrency: REPORTS_AT_ONCE,
      stream: { mostBackoffMs: 2_000 },
      airLogLimit: Number.MAX_SAFE_INTEGER,
      ledger: { limit: Number.MAX_SAFE_INTEGER },
    });
    this.phone.on('reported', ({ smsId, status, end }) => {
      if (end === 'refused') onFault(`the report ${status} of ${smsId} was refused for good`);
    });
    this.phone.on('trouble', (message) => {
      if (message.startsWith('the service refused the stream')) onFault(`${name}: ${message}`);
    });
  }

  static async switchOn(settings: PhoneSettings): Promise<StreamPhone> {
    const phone = new StreamPhone(settings);
    await phone.phone.start();
    return phone;
  }

  get device(): string {
    return this.phone.deviceId;
  }

  airings(): Airing[] {
    return this.phone.airLog.map(({ smsId, smsBatchId, recipient, text, fate }) => ({
      device: this.device,
      smsId,
      batch: smsBatchId,
      recipient,
      text,
      fate,
    }));
  }

  /** Dies at once, and comes back after a while with what it remembers. */
  async die(downMs: number): Promise<void> {
    if (this.isOff) return;
    this.isOff = true;
    await this.phone.stop();
    await sleep(downMs);
    for (;;) {
      try {
        await this.phone.start();
        break;
      } catch {
        await sleep(AGAIN_MS);
      }
    }
    this.isOff = false;
  }

  async upload(sender: string, text: string, isTwiceAtOnce: boolean): Promise<string> {
    const at = Date.now();
    const sms = incomingSms(sender, text, at);
    if (isTwiceAtOnce) void this.phone.api.uploadIncoming(this.device, sms).catch(() => undefined);
    for (;;) {
      // A phone that is off rejects, one that dies abandons: either way it uploads when it is back.
      const end = await this.phone.receiveSms(sender, text, at).catch(() => 'abandoned' as const);
      if (end === 'refused') this.settings.onFault(`the upload ${sms.fingerprint} was refused for good`);
      if (end !== 'abandoned') return sms.fingerprint;
      await sleep(AGAIN_MS);
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

/** A phone behind FCM, of the kind that does not recognise a push it has had: each push is an SMS. */
export class FcmPhone implements ChaosPhone {
  readonly transport = 'fcm';
  private readonly log: Airing[] = [];
  private readonly outbox: ReportOutbox;
  private awaitingCarrier = 0;

  private constructor(
    readonly device: string,
    private readonly api: PhoneApi,
    private readonly chance: Chance,
    private readonly onFault: (fault: string) => void,
  ) {
    this.outbox = new ReportOutbox({ concurrency: REPORTS_AT_ONCE });
  }

  static async register(settings: PhoneSettings, token: string, chance: Chance): Promise<FcmPhone> {
    const { baseUrl, apiKey, name, sendDelaySeconds, onFault } = settings;
    const api = new PhoneApi({ baseUrl, apiKey });
    const handset = { name, serial: name, sendDelaySeconds, receiveSmsEnabled: true };
    const { _id } = await api.registerDevice({
      ...registrationOf(handset),
      pushTransport: 'fcm',
      fcmToken: token,
    });
    await api.heartbeat(_id, heartbeatOf(handset));
    return new FcmPhone(_id, api, chance, onFault);
  }

  /** A push arrives: the message goes on the air, whether or not it was there before. */
  take(command: SmsCommand): void {
    const { smsId, smsBatchId, message, recipients } = command;
    const fate = this.drawFate();
    this.log.push({
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

  airings(): Airing[] {
    return [...this.log];
  }

  async upload(sender: string, text: string, isTwiceAtOnce: boolean): Promise<string> {
    const sms = incomingSms(sender, text, Date.now());
    const upload = () => this.api.uploadIncoming(this.device, sms);
    if (isTwiceAtOnce) void upload().catch(() => undefined);
    const end = await this.outbox.put(`incoming ${sms.fingerprint}`, upload);
    if (end === 'refused') this.onFault(`the upload ${sms.fingerprint} was refused for good`);
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

  private drawFate(): Fate {
    if (this.chance.happens(FAILURE_RATE)) return 'failed';
    return this.chance.happens(0.1) ? 'sent' : 'delivered';
  }

  private report({ smsId, smsBatchId }: SmsCommand, status: string, facts: object): void {
    const report = { smsId, smsBatchId, status, ...facts };
    void this.outbox
      .put(smsId, () => this.api.reportStatus(this.device, report))
      .then((end) => {
        if (end === 'refused') this.onFault(`the report ${status} of ${smsId} was refused for good`);
      });
  }
}
