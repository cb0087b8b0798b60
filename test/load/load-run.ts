import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../chaos/api-client';
import { readCounters } from '../chaos/counters';
import { DatabaseView } from '../chaos/database-view';
import { CleanupStack } from '../chaos/cleanup-stack';
import type { Evidence } from '../chaos/evidence';
import { Installation } from '../chaos/installation';
import { OwnStack } from '../chaos/own-stack';
import type { ProgressLog } from '../chaos/progress-log';
import { measureCores } from './core-meter';
import { PhoneFleet } from './phone-fleet';
import type { LoadFigures } from './load-figures';
import { Meter } from './meter';
import { OpenLoop } from './open-loop';
import { ReplayClient } from './replay-client';
import type { LoadOptions } from './options';
import { simulateOutage } from './outage';
import { LoadReceiver, RECEIVER_SECRET } from './receiver';
import { RedisView } from './redis-view';
import { ProgressReporter } from './progress-reporter';
import { LoadSender } from './load-sender';
import { waitUntilSettled } from './wait-until-settled';

const EVENTS = ['MESSAGE_SENT', 'MESSAGE_DELIVERED'] as const;

/** The time from the recovery of the receiver to the replay. */
const REPLAY_DELAY_MS = 3_000;
const MAX_PRINTED_ERRORS = 20;

/** The running parts of the test. */
interface RunContext {
  readonly folder: string;
  readonly stack: OwnStack;
  readonly view: DatabaseView;
  readonly redis: RedisView;
  readonly receiver: LoadReceiver;
  readonly installation: Installation;
}

/** One run: a steady load with an outage of the receiver, then settlement, then the evidence. */
export class LoadRun {
  private readonly errors: string[] = [];
  private readonly cleanup: CleanupStack;
  private readonly abortController = new AbortController();

  constructor(
    private readonly options: LoadOptions,
    private readonly progress: ProgressLog,
  ) {
    this.cleanup = new CleanupStack(progress);
  }

  /** @throws if the test itself fails; errors of the service are in the evidence. */
  async run(): Promise<{ evidence: Evidence; figures: LoadFigures }> {
    const { seconds, rate, phones } = this.options;
    const { folder, stack, view, redis, receiver, installation } = await this.setUp();
    const api = new ApiClient(installation.apiKey);
    const [baseUrl = ''] = installation.apiUrls;
    const { _id: subscription } = await api.data<{ _id: string }>(baseUrl, {
      method: 'POST',
      path: 'webhooks',
      body: { deliveryUrl: receiver.url, signingSecret: RECEIVER_SECRET, events: EVENTS },
    });
    const replayClient = new ReplayClient(api, baseUrl, subscription);
    const fleet = await PhoneFleet.start(phones, {
      baseUrl,
      apiKey: installation.apiKey,
      onError: this.onError,
      onReceived: (recipient) => {
        meter.reachedPhone(recipient);
      },
    });
    this.cleanup.defer(() => fleet.stop());
    const meter = new Meter(installation.processes, () => ({
      events: receiver.events,
      // An event can arrive before the response to its report.
      backlog: Math.max(0, fleet.reported - receiver.events),
    }));
    this.progress.log(`${phones} phones are connected, ${rate} sends a second for ${seconds} s`);

    const sends = new LoadSender(api, baseUrl, fleet.devices, meter, this.onError);
    const loop = new OpenLoop(this.options, (number, dueAt) => {
      void sends.send(number, dueAt);
    });
    const reporter = new ProgressReporter(meter, rate, this.progress);
    this.cleanup.defer(() => {
      loop.stop();
      reporter.stop();
    });
    reporter.start();
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const coresUsed = measureCores(installation, stack);
    const startedAt = Date.now();
    const outageEnded = this.runOutage(receiver, replayClient, reporter);
    await loop.run();
    const lastSendAt = Date.now();
    const cores = coresUsed((lastSendAt - startedAt) / 1_000);
    stalls.disable();
    this.progress.log('All sends done, waiting until everything has settled');
    await outageEnded;
    const unsettledText = await waitUntilSettled(
      view,
      { fleet, meter, replayClient },
      this.abortController.signal,
    );
    if (unsettledText !== undefined) this.onError(unsettledText);
    const settledAfter = (Date.now() - lastSendAt) / 1_000;
    reporter.stop();

    const transports = new Map(fleet.devices.map((device) => [device, 'stream']));
    const evidence = {
      ...(await readCounters({ api, baseUrl, view }, [subscription], transports)),
      sends: sends.sends,
      sentSms: fleet.sentSms,
      uploads: [],
      explanations: [],
      pushesInDoubt: [],
      webhookRequests: receiver.webhookRequests,
      errors: this.errors,
    };
    const reopenedStreams = fleet.reopenedStreams;
    this.abortController.abort();
    await fleet.stop();
    const figures: LoadFigures = {
      folder,
      dueSends: loop.due,
      lateSends: loop.late,
      longestStallMs: stalls.max / 1e6,
      responseTimes: meter.responseTimes,
      sendToPhoneTimes: meter.sendToPhoneTimes,
      // Memory and rate are checked during the load only.
      seconds: meter.seconds.slice(0, seconds),
      reopenedStreams,
      webhookRequests: receiver.requests,
      replayed: replayClient.replayed,
      maxBacklog: reporter.maxBacklog,
      backlogClearedAfter: reporter.backlogClearedAfter,
      settledAfter,
      cores,
      redis: await redis.findLeftovers(),
    };
    writeFileSync(join(folder, 'seconds.json'), JSON.stringify(meter.seconds));
    return { evidence, figures };
  }

  /** Stops everything that the run has started. */
  async close(): Promise<void> {
    this.abortController.abort();
    await this.cleanup.runAll();
  }

  private async setUp(): Promise<RunContext> {
    const database = `load_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-load', database);
    mkdirSync(folder, { recursive: true });
    const stack = await OwnStack.start('load');
    this.cleanup.defer(() => stack.stop());
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.cleanup.defer(() => view.close());
    this.cleanup.defer(() => view.drop());
    const redis = new RedisView(stack.redisUrl, database);
    this.cleanup.defer(() => {
      redis.close();
    });
    const receiver = await LoadReceiver.start();
    this.cleanup.defer(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ['api', 'worker', 'scheduler'],
      // All sends use one key.
      environment: { RATE_LIMIT_PER_KEY: '0', MAX_PHONE_REQUESTS_PER_MINUTE: '0' },
      nodeArguments: this.options.isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [],
      restartDelayMs: () => 0,
      onError: this.onError,
    });
    this.cleanup.defer(() => installation.stop('SIGTERM'));
    this.progress.log(`${installation.processes.length} processes are up, logs in ${folder}`);
    return { folder, stack, view, redis, receiver, installation };
  }

  private readonly onError = (error: string): void => {
    if (this.abortController.signal.aborted) return;
    this.errors.push(error);
    if (this.errors.length <= MAX_PRINTED_ERRORS) this.progress.log(`ERROR ${error}`);
  };

  private async runOutage(
    receiver: LoadReceiver,
    replayClient: ReplayClient,
    reporter: ProgressReporter,
  ): Promise<void> {
    const { signal } = this.abortController;
    try {
      await simulateOutage(receiver, this.options.seconds, {
        signal,
        onChange: (state) => {
          this.progress.log(`receiver: ${state}`);
        },
      });
      reporter.receiverRecovered();
      await sleep(REPLAY_DELAY_MS, undefined, { signal });
      await replayClient.replay();
      this.progress.log(`replayed missed events: ${replayClient.replayed} deliveries`);
    } catch (failure) {
      if (!signal.aborted) this.onError(`the simulated outage failed: ${String(failure)}`);
    }
  }
}
