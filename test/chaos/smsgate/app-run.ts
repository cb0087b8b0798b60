import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CleanupStack } from '../cleanup-stack';
import { DatabaseView } from '../database-view';
import { Installation } from '../installation';
import { OwnStack } from '../own-stack';
import type { ProgressLog } from '../progress-log';
import { SeededRandom } from '../seeded-random';
import type { AppEvidence } from './app-evidence';
import { AppOwner } from './app-owner';
import { AppPhone } from './app-phone';

export interface AppRunOptions {
  readonly seed: number;
  readonly messages: number;
}

const PHONES = 4;
const KILLS = 3;
const CUT_INTERVAL_MS = 500;
/** Of the streams, in each interval: some live for seconds, some end before their first event is read. */
const CUT_SHARE = 0.3;
/** Between two kills, during which messages are sent. */
const MIN_ROUND_MS = 12_000;
const MESSAGES_PER_SECOND = 30;
const MESSAGES_PER_SEND = 10;
/** Longer than two minutes of the service, so that it asks for what arrived meanwhile. */
const LONG_ABSENCE_MS = 130_000;
const APP_OFF_MS = 3_000;
/** Longer than the app waits before it repeats a post, after an API that was down for a minute. */
const SETTLE_TIMEOUT_MS = 240_000;
const CHECK_INTERVAL_MS = 2_000;
const MAX_UNCHANGED_CHECKS = 10;
const PROGRESS_INTERVAL_MS = 5_000;

/** How far the clock of the service is moved until each message is settled: last reports are asked for again, then given up. */
const CLOCK_STEPS_MS = [0, 3.1 * 3_600_000, 25 * 3_600_000];

/**
 * One run with the app SMSGate: its reports are lost, its streams are cut, its phones restart, and the only API process is killed
 * while messages go out and texts come in.
 */
export class AppRun {
  private readonly random: SeededRandom;
  private readonly errors: string[] = [];
  private readonly cleanup: CleanupStack;
  private readonly ended = new AbortController();
  /** Where the processes write their logs. */
  readonly folder: string;
  private readonly database: string;
  private aheadMs = 0;

  constructor(
    private readonly options: AppRunOptions,
    private readonly progress: ProgressLog,
  ) {
    setMaxListeners(0, this.ended.signal);
    this.random = new SeededRandom(options.seed).branch('apps');
    this.cleanup = new CleanupStack(progress);
    this.database = `chaos_apps_${options.seed}_${Date.now().toString(36)}`;
    this.folder = join(tmpdir(), 'messaging-gateway-chaos', this.database);
  }

  async run(): Promise<AppEvidence> {
    const { installation, view } = await this.setUp();
    const [baseUrl = ''] = installation.apiUrls;
    const owner = new AppOwner(baseUrl, installation.apiKey, this.ended.signal);
    const phones: AppPhone[] = [];
    for (let number = 1; number <= PHONES; number += 1) {
      const random = this.random.branch(`phone ${number}`);
      const [code = ''] = (await installation.runAdminCommand('pairing', 'code')).split('\n');
      phones.push(await AppPhone.pair(`${baseUrl}/sms`, code, random, () => this.now()));
    }
    this.cleanup.defer(() => {
      for (const phone of phones) phone.stop();
    });
    for (const { device } of phones) await owner.unpace(device);
    this.progress.log(`${PHONES} apps are paired, logs in ${this.folder}`);

    const cuts = this.random.branch('cuts');
    const stopFaults = this.repeat(CUT_INTERVAL_MS, () => {
      for (const phone of phones) if (cuts.happens(CUT_SHARE)) phone.cutStream();
    });
    const stopProgress = this.repeat(PROGRESS_INTERVAL_MS, () => {
      this.progress.log(`${sumOf(phones, ({ airedCount }) => airedCount)} SMS aired`);
    });
    const recipients = this.recipients();
    await Promise.all([
      this.send(owner, phones, recipients),
      this.receive(phones),
      this.killAndRestart(installation, phones),
    ]);
    await this.absence(phones);
    await this.settle(view, phones, recipients.length);
    stopProgress();
    stopFaults();
    const evidence: AppEvidence = {
      phones: phones.map((phone) => phone.evidence()),
      recipients,
      messages: (await view.messages()).filter(({ direction }) => direction === 'sent'),
      stored: await this.storedTexts(owner, phones),
      errors: this.errors,
    };
    for (const phone of phones) phone.stop();
    await installation.stop('SIGTERM');
    return evidence;
  }

  /** Stops everything that the run has started. */
  async close(): Promise<void> {
    this.ended.abort();
    await this.cleanup.runAll();
  }

  private async setUp(): Promise<{ installation: Installation; view: DatabaseView }> {
    mkdirSync(this.folder, { recursive: true });
    const stack = await OwnStack.start('chaos');
    this.cleanup.defer(() => stack.stop());
    const view = await DatabaseView.open(stack.mongodbUri, this.database);
    this.cleanup.defer(() => view.close());
    this.cleanup.defer(() => view.drop());
    this.moveClock(0);
    const restarts = this.random.branch('restarts');
    const installation = await Installation.start({
      stack,
      database: this.database,
      folder: this.folder,
      roles: ['api', 'worker', 'scheduler'],
      environment: { CHAOS_CLOCK_FILE: this.clockFile },
      nodeArguments: ['--require', join(__dirname, 'clock-preload.cjs')],
      restartDelayMs: () => restarts.between(0, 2_000),
      onError: (error) => {
        this.errors.push(error);
        this.progress.log(`ERROR ${error}`);
      },
    });
    this.cleanup.defer(() => installation.stop('SIGKILL'));
    return { installation, view };
  }

  private get clockFile(): string {
    return join(this.folder, 'clock');
  }

  private now(): number {
    return Date.now() + this.aheadMs;
  }

  private moveClock(aheadMs: number): void {
    this.aheadMs = aheadMs;
    writeFileSync(this.clockFile, String(aheadMs));
  }

  private recipients(): string[] {
    return Array.from(
      { length: this.options.messages },
      (_, index) => `+44770${String(index).padStart(7, '0')}`,
    );
  }

  private get roundMs(): number {
    return Math.max(MIN_ROUND_MS, (this.options.messages / MESSAGES_PER_SECOND / KILLS) * 1_000);
  }

  private async send(
    owner: AppOwner,
    phones: readonly AppPhone[],
    recipients: readonly string[],
  ): Promise<void> {
    const pause = (KILLS * this.roundMs) / (recipients.length / MESSAGES_PER_SEND);
    const sends: Promise<void>[] = [];
    for (let from = 0; from < recipients.length; from += MESSAGES_PER_SEND) {
      const part = recipients.slice(from, from + MESSAGES_PER_SEND);
      sends.push(owner.send(this.random.pick(phones).device, part, `apps-${from}`));
      await sleep(pause);
    }
    await Promise.all(sends);
  }

  private async receive(phones: readonly AppPhone[]): Promise<void> {
    const count = Math.ceil(this.options.messages / 10);
    for (let number = 1; number <= count; number += 1) {
      this.random.pick(phones).receive(`Incoming text ${number}`);
      await sleep((KILLS * this.roundMs) / count);
    }
  }

  private async killAndRestart(installation: Installation, phones: readonly AppPhone[]): Promise<void> {
    const [api] = installation.withRole('api');
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await sleep(this.roundMs * this.random.between(0.3, 0.9));
      this.progress.log(`kill -9 ${api?.name ?? ''}, and a restart of an app`);
      api?.kill();
      await this.random.pick(phones).restart(APP_OFF_MS);
      await api?.waitUntilReady();
    }
  }

  /** An app is off for long, and texts arrive at its phone. */
  private async absence(phones: readonly AppPhone[]): Promise<void> {
    const [phone] = phones;
    if (!phone) return;
    phone.stop();
    this.moveClock(this.aheadMs + 10_000);
    await sleep(1_000);
    for (let number = 1; number <= 5; number += 1) phone.receive(`Text while the app is off ${number}`);
    this.moveClock(this.aheadMs + LONG_ABSENCE_MS);
    await sleep(1_000);
    await phone.restart(0);
  }

  private async settle(view: DatabaseView, phones: readonly AppPhone[], count: number): Promise<void> {
    const start = this.aheadMs;
    for (const step of CLOCK_STEPS_MS) {
      if (step > 0) {
        this.progress.log(`The clock of the service moves to ${Math.round(step / 3_600_000)} h ahead`);
        this.moveClock(start + step);
      }
      if (await this.isSettled(view, phones, count)) return;
    }
  }

  /** Waits until all is settled, or until only a later clock helps. */
  private async isSettled(view: DatabaseView, phones: readonly AppPhone[], count: number): Promise<boolean> {
    const end = Date.now() + SETTLE_TIMEOUT_MS;
    let [last, unchanged] = [-1, 0];
    while (Date.now() < end && unchanged < MAX_UNCHANGED_CHECKS) {
      for (const phone of phones) phone.fetch();
      await sleep(CHECK_INTERVAL_MS);
      const messages = (await view.messages()).filter(({ direction }) => direction === 'sent');
      const onTheWay = messages.filter(
        ({ status }) => status === 'pending' || status === 'dispatched',
      ).length;
      const hasPosted = phones.every((phone) => phone.hasPosted);
      if (messages.length === count && onTheWay === 0 && hasPosted) return true;
      unchanged = onTheWay > 0 && onTheWay === last ? unchanged + 1 : 0;
      last = onTheWay;
      this.progress.log(`${onTheWay} messages on their way${hasPosted ? '' : ', texts not uploaded yet'}`);
    }
    return false;
  }

  private async storedTexts(owner: AppOwner, phones: readonly AppPhone[]): Promise<AppEvidence['stored']> {
    const texts = phones.map(async ({ device }) =>
      (await owner.receivedTexts(device)).map((text) => ({ device, text })),
    );
    return (await Promise.all(texts)).flat();
  }

  private repeat(intervalMs: number, task: () => void): () => void {
    const timer = setInterval(task, intervalMs);
    const stop = () => {
      clearInterval(timer);
    };
    this.cleanup.defer(stop);
    return stop;
  }
}

function sumOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}
