import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../chaos/api-client';
import { DatabaseView, type Unsettled } from '../chaos/database-view';
import type { Evidence, SendEvidence } from '../chaos/evidence';
import { Installation } from '../chaos/installation';
import { OwnStack } from '../chaos/own-stack';
import type { ChaosScreen } from '../chaos/screen';
import { Fleet } from './fleet';
import { Meter, type Second } from './meter';
import { OpenLoop } from './open-loop';
import type { LoadOptions } from './options';
import { outage } from './outage';
import { cpuSeconds, machineSeconds, processesWith } from './process-view';
import { LoadReceiver, RECEIVER_SECRET } from './receiver';
import { type RedisLeft, RedisView } from './redis-view';

const EVENTS = ['MESSAGE_SENT', 'MESSAGE_DELIVERED'] as const;

/** How long after the receiver is back its operator asks for what it has missed. */
const OPERATOR_TAKES_MS = 3_000;
const REPLAY_AGAIN_MS = 20_000;
const SETTLE_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 1_000;
const MOST_FAULTS_SAID = 20;

/** What a run came to, beside what it has seen. */
export interface LoadFigures {
  readonly folder: string;
  readonly due: number;
  /** Sends that this program began late, and by how much it was held up at the worst, in milliseconds. */
  readonly late: number;
  readonly longestStallMs: number;
  readonly answerTimes: readonly number[];
  readonly toPhoneTimes: readonly number[];
  readonly seconds: readonly Second[];
  readonly reopenedStreams: number;
  readonly webhookRequests: number;
  readonly replayed: number;
  readonly mostWaiting: number;
  /** From the return of the receiver until it had all there was, in seconds. */
  readonly caughtUpAfter: number | undefined;
  /** From the last send until nothing moved any more, in seconds. */
  readonly settledAfter: number;
  /** Cores that were busy while the load ran: of the service, this program, its database, and the whole machine. */
  readonly cores: Readonly<Record<string, number>>;
  readonly redis: RedisLeft;
}

/** One run: a steady load with an outage of the receiver in the middle, then quiet, then all there is to judge it by. */
export class LoadRun {
  private readonly faults: string[] = [];
  private readonly sends: SendEvidence[] = [];
  private readonly closing: (() => Promise<void> | void)[] = [];
  private readonly ending = new AbortController();
  private replayed = 0;
  private mostWaiting = 0;
  private backAt: number | undefined;
  private caughtUpAfter: number | undefined;

  constructor(
    private readonly options: LoadOptions,
    private readonly screen: ChaosScreen,
  ) {}

  /** @throws when the run itself cannot go on; what the service does wrong is in the evidence. */
  async run(): Promise<{ evidence: Evidence; figures: LoadFigures }> {
    const { seconds, rate, phones } = this.options;
    const database = `load_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-load', database);
    mkdirSync(folder, { recursive: true });

    const stack = await OwnStack.start('load');
    this.closing.push(() => stack.stop());
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.closing.push(() => view.close());
    this.closing.push(() => view.drop());
    const redis = new RedisView(stack.redisUrl, database);
    this.closing.push(() => {
      redis.close();
    });
    const receiver = await LoadReceiver.start();
    this.closing.push(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ['api', 'worker', 'scheduler'],
      // All sends are made with one key: the limit of requests a minute is not what is measured.
      environment: { RATE_LIMIT_PER_KEY: '0' },
      nodeArguments: this.options.isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [],
      restartDelayMs: () => 0,
      onFault: this.onFault,
    });
    this.closing.push(() => installation.stop('SIGTERM'));
    this.screen.say(`${installation.processes.length} processes are up; their logs are in ${folder}`);

    const api = new ApiClient(installation.apiKey);
    const [baseUrl = ''] = installation.apiUrls;
    const { _id: subscription } = await api.data<{ _id: string }>(baseUrl, {
      method: 'POST',
      path: 'webhooks',
      body: { deliveryUrl: receiver.url, signingSecret: RECEIVER_SECRET, events: EVENTS },
    });
    const started = new Date();
    const fleet = await Fleet.switchOn(phones, {
      baseUrl,
      apiKey: installation.apiKey,
      onFault: this.onFault,
      onOffered: (recipient) => {
        meter.reachedPhone(recipient);
      },
    });
    this.closing.push(() => fleet.stop());
    const meter = new Meter(installation.processes, () => ({
      events: receiver.events,
      // The event of a report can be here before the phone has the answer.
      waiting: Math.max(0, fleet.reported - receiver.events),
    }));
    this.screen.say(`${phones} phones are on; ${rate} sends a second for ${seconds} s`);

    const { devices } = fleet;
    const loop = new OpenLoop(this.options, (number, dueAt) => {
      void this.send(api, baseUrl, { number, dueAt, device: devices[number % devices.length] ?? '' }, meter);
    });
    this.closing.push(() => {
      loop.stop();
    });
    const replay = async () => {
      this.replayed += await replayMissed(api, baseUrl, subscription, started);
    };
    const stopMeasuring = this.measureEverySecond(meter);
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const coresUsed = measureCores(installation, stack);
    const sinceFirst = Date.now();
    const breakdown = this.breakReceiver(receiver, replay);
    await loop.run();
    const lastSend = Date.now();
    const cores = coresUsed((lastSend - sinceFirst) / 1_000);
    stalls.disable();
    this.screen.say('No more sends: waiting until all has settled');
    await breakdown;
    await this.settle(view, fleet, meter, replay);
    const settledAfter = (Date.now() - lastSend) / 1_000;
    stopMeasuring();

    const evidence = await this.collect(view, api, baseUrl, subscription, fleet, receiver);
    const reopenedStreams = fleet.reopenedStreams;
    this.ending.abort();
    await fleet.stop();
    const figures: LoadFigures = {
      folder,
      due: loop.due,
      late: loop.late,
      longestStallMs: stalls.max / 1e6,
      answerTimes: meter.answerTimes,
      toPhoneTimes: meter.toPhoneTimes,
      // Memory and rate are judged while the load lasts.
      seconds: meter.seconds.slice(0, seconds),
      reopenedStreams,
      webhookRequests: receiver.requests,
      replayed: this.replayed,
      mostWaiting: this.mostWaiting,
      caughtUpAfter: this.caughtUpAfter,
      settledAfter,
      cores,
      redis: await redis.left(),
    };
    writeFileSync(join(folder, 'seconds.json'), JSON.stringify(meter.seconds));
    return { evidence, figures };
  }

  /** Ends whatever the run has started. */
  async close(): Promise<void> {
    this.ending.abort();
    for (const close of this.closing.splice(0).reverse()) {
      try {
        await close();
      } catch (failure) {
        this.screen.say(`Could not be ended: ${String(failure)}`);
      }
    }
  }

  private readonly onFault = (fault: string): void => {
    if (this.ending.signal.aborted) return;
    this.faults.push(fault);
    if (this.faults.length <= MOST_FAULTS_SAID) this.screen.say(`FAULT ${fault}`);
  };

  private async send(
    api: ApiClient,
    baseUrl: string,
    { number, dueAt, device }: { number: number; dueAt: number; device: string },
    meter: Meter,
  ): Promise<void> {
    const recipient = `+49151${String(number).padStart(8, '0')}`;
    const text = `Load ${number}`;
    const key = `load-${number}`;
    const batches: string[] = [];
    this.sends.push({ key, device, text, recipients: [recipient], batches });
    meter.begun(recipient, dueAt);
    try {
      const { smsBatchId } = await api.data<{ smsBatchId: string }>(baseUrl, {
        method: 'POST',
        path: 'gateway/send-sms',
        body: { deviceId: device, message: text, recipients: [recipient] },
        idempotencyKey: key,
      });
      batches.push(smsBatchId);
      meter.answered(dueAt);
    } catch (failure) {
      meter.failed();
      this.onFault(`send ${key} was not accepted: ${String(failure)}`);
    }
  }

  private measureEverySecond(meter: Meter): () => void {
    const timer = setInterval(() => {
      const second = meter.drawUp();
      this.mostWaiting = Math.max(this.mostWaiting, second.waiting);
      if (this.backAt !== undefined && second.waiting <= this.options.rate) {
        this.caughtUpAfter ??= (Date.now() - this.backAt) / 1_000;
      }
      this.screen.say(progressOf(second));
    }, 1_000);
    const stop = () => {
      clearInterval(timer);
    };
    this.closing.push(stop);
    return stop;
  }

  private async breakReceiver(receiver: LoadReceiver, replay: () => Promise<void>): Promise<void> {
    const { signal } = this.ending;
    try {
      await outage(receiver, this.options.seconds, {
        signal,
        onChange: (state) => {
          this.screen.say(`the receiver is ${state}`);
        },
      });
      this.backAt = Date.now();
      await sleep(OPERATOR_TAKES_MS, undefined, { signal });
      await replay();
      this.screen.say(`replayed what the receiver has missed: ${this.replayed} deliveries`);
    } catch (failure) {
      if (!signal.aborted)
        this.onFault(`the outage of the receiver did not go as planned: ${String(failure)}`);
    }
  }

  /** Waits until nothing moves any more. What has not settled in time shows in the evidence. */
  private async settle(
    view: DatabaseView,
    fleet: Fleet,
    meter: Meter,
    replay: () => Promise<void>,
  ): Promise<void> {
    const end = Date.now() + SETTLE_WITHIN_MS;
    let replayAt = Date.now();
    let calmLooks = 0;
    let left: Unsettled | undefined;
    while (Date.now() < end) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.ending.signal });
      left = await view.unsettled(fleet.devices);
      const isCalm =
        meter.open === 0 && (await fleet.isIdle()) && Object.values(left).every((count) => count === 0);
      calmLooks = isCalm ? calmLooks + 1 : 0;
      if (calmLooks === 2) return;
      // What was under way when the operator asked for it, and failed after that, is asked for once more.
      const late = await view.lateDeliveries(new Date(Date.now() + REPLAY_AGAIN_MS));
      if (late.length > 0 && Date.now() >= replayAt) {
        replayAt = Date.now() + REPLAY_AGAIN_MS;
        await replay();
      }
    }
    this.onFault(
      `not settled after ${SETTLE_WITHIN_MS / 1_000} s: ${meter.open} calls, ${JSON.stringify(left)}`,
    );
  }

  private async collect(
    view: DatabaseView,
    api: ApiClient,
    baseUrl: string,
    subscription: string,
    fleet: Fleet,
    receiver: LoadReceiver,
  ): Promise<Evidence> {
    const get = <T>(path: string) => api.data<T>(baseUrl, { method: 'GET', path });
    const devices =
      await get<{ _id: string; sentSMSCount: number; receivedSMSCount: number }[]>('gateway/devices');
    const totals = await get<{ totalSentSMSCount: number; totalReceivedSMSCount: number }>('gateway/stats');
    const webhook = await get<{
      successfulDeliveryCount: number;
      deliveryFailureCount: number;
      deliveryAttemptCount: number;
    }>(`webhooks/${subscription}`);
    return {
      sends: this.sends,
      airings: fleet.airings,
      uploads: [],
      posts: receiver.posts,
      devices: devices.map(({ _id, sentSMSCount, receivedSMSCount }) => ({
        id: _id,
        transport: 'stream',
        sentSMSCount,
        receivedSMSCount,
      })),
      batches: await view.batches(),
      messages: await view.messages(),
      deliveries: await view.deliveries(),
      subscriptions: [
        {
          id: subscription,
          events: EVENTS,
          successes: webhook.successfulDeliveryCount,
          failures: webhook.deliveryFailureCount,
          attempts: webhook.deliveryAttemptCount,
        },
      ],
      totals: { sent: totals.totalSentSMSCount, received: totals.totalReceivedSMSCount },
      usage: await view.usageOfMonth(),
      faults: this.faults,
    };
  }
}

/** Has the service deliver again what failed or waits for a later attempt, as an operator does. @returns how many. */
async function replayMissed(
  api: ApiClient,
  baseUrl: string,
  subscription: string,
  from: Date,
): Promise<number> {
  let replayed = 0;
  for (const status of ['retrying', 'failed']) {
    let cursor: string | null = null;
    do {
      const answer: { scheduledCount: number; nextCursor: string | null } = await api.data(baseUrl, {
        method: 'POST',
        path: `webhooks/${subscription}/replay`,
        body: { from: from.toISOString(), status, ...(cursor !== null && { cursor }) },
      });
      replayed += answer.scheduledCount;
      cursor = answer.nextCursor;
    } while (cursor !== null);
  }
  return replayed;
}

/** @returns what tells the cores that were busy since this call, which is so many seconds ago. */
function measureCores(
  { processes }: Installation,
  stack: OwnStack,
): (seconds: number) => Record<string, number> {
  const view = (): [string, number, number][] => [
    ...processes.flatMap(({ name, pid }): [string, number, number][] =>
      pid === undefined ? [] : [[name, pid, cpuSeconds(pid)]],
    ),
    ...processesWith(stack.databaseMarks()).map((pid): [string, number, number] => [
      'the database',
      pid,
      cpuSeconds(pid),
    ]),
    ['this program', process.pid, cpuSeconds(process.pid)],
  ];
  const before = new Map(view().map(([, pid, used]) => [pid, used]));
  const machineBefore = machineSeconds().busy;
  return (seconds) => {
    const cores: Record<string, number> = {};
    for (const [name, pid, used] of view()) {
      cores[name] = (cores[name] ?? 0) + (used - (before.get(pid) ?? 0)) / seconds;
    }
    return { ...cores, 'the whole machine': (machineSeconds().busy - machineBefore) / seconds };
  };
}

function progressOf(second: Second): string {
  const ms = (value: number) => (Number.isNaN(value) ? '-' : String(Math.round(value)));
  const resident = Object.entries(second.resident).map(
    ([name, megabytes]) => `${name} ${Math.round(megabytes)}`,
  );
  return (
    `${second.answered} answered, ${second.errors} errors, ${second.open} open, ` +
    `p50 ${ms(second.answerP50)} ms, p99 ${ms(second.answerP99)} ms, to phone p99 ${ms(second.toPhoneP99)} ms, ` +
    `${second.events} events, ${second.waiting} waiting, MB: ${resident.join(', ')}`
  );
}
