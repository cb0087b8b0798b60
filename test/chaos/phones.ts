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
import type { FcmPhoneFault, PlannedPhoneFault, StreamPhoneFault } from './phone-fault-plan';

export interface ChaosPhone {
  readonly device: string;
  readonly transport: 'stream' | 'fcm';
  sentSms(): SentSms[];
  /** Has a fault for a while; one of the other transport has no effect. */
  suffer(fault: PlannedPhoneFault['fault'], forMs: number): Promise<void>;
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

export interface FcmPhoneSettings extends PhoneSettings {
  /** Whether it reports some messages as not sent although they are. */
  readonly lies: boolean;
}

const FAILURE_RATE = 0.04;
const DELIVERED_AFTER_SECONDS = 0.3;
/** Longer than the time after which a message moves to another phone. */
const LATE_ANSWER_SECONDS = 12;
/** Of FCM phones: share of messages that they report as not sent, for want of a network. */
const NO_SERVICE_RATE = 0.15;
/** Of these phones: share of messages that they report so although they have sent them, and as sent later. */
const LIE_RATE = 0.15;
const MIN_CONTRADICTION_DELAY_MS = 500;
const MAX_CONTRADICTION_DELAY_MS = 4_000;
const FCM_HEARTBEAT_INTERVAL_MS = 10_000;
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
    return this.phone.airLog.map(({ smsId, smsBatchId, recipient, text, fate, error, partTimes }) => ({
      device: this.device,
      smsId,
      batch: smsBatchId,
      recipient,
      text,
      fate,
      error,
      isOnAir: partTimes.length > 0,
    }));
  }

  async suffer(fault: PlannedPhoneFault['fault'], forMs: number): Promise<void> {
    const { faults } = this.phone;
    const [sim] = this.phone.sims;
    switch (fault as StreamPhoneFault) {
      case 'crashes':
        await this.crash(forMs);
        return;
      case 'answers late':
        faults.answerDelaySeconds = LATE_ANSWER_SECONDS;
        await sleep(forMs);
        faults.answerDelaySeconds = 0;
        return;
      case 'radio off':
        faults.airplaneMode = true;
        await sleep(forMs);
        faults.airplaneMode = false;
        return;
      case 'no service':
        if (!sim) return;
        sim.card.service = 'none';
        await sleep(forMs);
        sim.card.service = 'available';
    }
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
  /** Undefined while it is lost. */
  token: string | undefined;
  isPushAvailable = true;
  private readonly smsLog: SentSms[] = [];
  private readonly outbox: ReportOutbox;
  private readonly heartbeats: NodeJS.Timeout;
  private laterReports = 0;
  private lostTokens = 0;

  private constructor(
    readonly device: string,
    private readonly api: PhoneApi,
    private readonly random: SeededRandom,
    private readonly settings: FcmPhoneSettings,
    private readonly firstToken: string,
  ) {
    this.token = firstToken;
    this.outbox = new ReportOutbox({ concurrency: REPORT_CONCURRENCY });
    // A push in doubt is never answered: only a call shows the service that the phone is well. Each tells the token, as the app
    // does, because an earlier token whose request was held up may have been stored after it.
    this.heartbeats = setInterval(() => {
      const facts = heartbeatBody({ ...handsetOf(settings), fcmToken: this.token });
      void api.heartbeat(device, facts).catch(() => undefined);
    }, FCM_HEARTBEAT_INTERVAL_MS);
  }

  static async register(settings: FcmPhoneSettings, token: string, chance: SeededRandom): Promise<FcmPhone> {
    const { baseUrl, apiKey } = settings;
    const api = new PhoneApi({ baseUrl, apiKey });
    const handset = handsetOf(settings);
    const { _id } = await api.registerDevice({
      ...registrationBody(handset),
      pushTransport: 'fcm',
      fcmToken: token,
    });
    await api.heartbeat(_id, heartbeatBody(handset));
    return new FcmPhone(_id, api, chance, settings, token);
  }

  /** Sends the message of a push, even if it is a duplicate. */
  receivePush(command: SmsCommand): void {
    const { smsId, smsBatchId, message, recipients } = command;
    const outcome = this.pickOutcome();
    const index = this.smsLog.push({
      device: this.device,
      smsId,
      batch: smsBatchId,
      recipient: recipients[0],
      text: message,
      ...outcome,
    });
    const { fate, error, isOnAir } = outcome;
    if (error !== undefined) {
      const reportedAt = Date.now();
      const report = this.report(command, 'FAILED', { failedAtInMillis: reportedAt, errorCode: error });
      if (isOnAir)
        void report.then(() => {
          this.contradict(command, index - 1, reportedAt);
        });
      return;
    }
    const sentAtInMillis = Date.now();
    void this.report(command, 'SENT', { sentAtInMillis });
    if (fate === 'sent') return;
    this.reportLater(DELIVERED_AFTER_SECONDS * 1_000, () =>
      this.report(command, 'DELIVERED', { sentAtInMillis, deliveredAtInMillis: Date.now() }),
    );
  }

  sentSms(): SentSms[] {
    return [...this.smsLog];
  }

  async suffer(fault: PlannedPhoneFault['fault'], forMs: number): Promise<void> {
    switch (fault as FcmPhoneFault) {
      case 'push service unavailable':
        this.isPushAvailable = false;
        await sleep(forMs);
        this.isPushAvailable = true;
        return;
      case 'push token lost':
        this.token = undefined;
        await sleep(forMs);
        this.lostTokens += 1;
        await this.renewToken(`${this.firstToken}-${this.lostTokens}`);
    }
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
    return Promise.resolve(this.outbox.isEmpty && this.laterReports === 0);
  }

  stop(): Promise<void> {
    clearInterval(this.heartbeats);
    this.outbox.stop();
    this.api.close();
    return Promise.resolve();
  }

  private pickOutcome(): { fate: Fate; error?: string; isOnAir: boolean } {
    const { random } = this;
    if (random.happens(FAILURE_RATE)) return { fate: 'failed', error: '1', isOnAir: false };
    if (random.happens(NO_SERVICE_RATE)) return { fate: 'failed', error: '4', isOnAir: false };
    if (this.settings.lies && random.happens(LIE_RATE)) return { fate: 'sent', error: '4', isOnAir: true };
    return { fate: random.happens(0.1) ? 'sent' : 'delivered', isOnAir: true };
  }

  /** Reports what was reported as failed as sent. */
  private contradict(command: SmsCommand, index: number, reportedAt: number): void {
    const delayMs = this.random.between(MIN_CONTRADICTION_DELAY_MS, MAX_CONTRADICTION_DELAY_MS);
    this.reportLater(delayMs, async () => {
      await this.report(command, 'SENT', { sentAtInMillis: reportedAt });
      const sms = this.smsLog[index];
      if (sms) this.smsLog[index] = { ...sms, contradictedAfterMs: Date.now() - reportedAt };
    });
  }

  private reportLater(delayMs: number, report: () => Promise<void>): void {
    this.laterReports += 1;
    setTimeout(() => {
      void report().then(() => (this.laterReports -= 1));
    }, delayMs);
  }

  private async report({ smsId, smsBatchId }: SmsCommand, status: string, fields: object): Promise<void> {
    const report = { smsId, smsBatchId, status, ...fields };
    const end = await this.outbox.put(smsId, () => this.api.reportStatus(this.device, report));
    if (end === 'refused') this.settings.onRefusedReport(smsId, status);
  }

  private async renewToken(token: string): Promise<void> {
    this.token = token;
    // Until it is stored, or lost as well.
    while (this.token === token) {
      try {
        await this.api.setPushToken(this.device, token);
        return;
      } catch {
        await sleep(RETRY_INTERVAL_MS);
      }
    }
  }
}

function handsetOf({ name, sendDelaySeconds }: PhoneSettings) {
  return { name, serial: name, sendDelaySeconds, receiveSmsEnabled: true };
}
