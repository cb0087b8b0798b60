import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../chaos/api-client';
import { readCounters } from '../chaos/counters';
import { DatabaseView } from '../chaos/database-view';
import { Endings } from '../chaos/endings';
import type { Evidence } from '../chaos/evidence';
import { Installation } from '../chaos/installation';
import { OwnStack } from '../chaos/own-stack';
import type { ChaosScreen } from '../chaos/screen';
import { measureCores } from './core-meter';
import { Fleet } from './fleet';
import type { LoadFigures } from './load-figures';
import { Meter } from './meter';
import { OpenLoop } from './open-loop';
import { Operator } from './operator';
import type { LoadOptions } from './options';
import { outage } from './outage';
import { LoadReceiver, RECEIVER_SECRET } from './receiver';
import { RedisView } from './redis-view';
import { SecondHand } from './second-hand';
import { Sends } from './sends';
import { untilQuiet } from './settling';

const EVENTS = ['MESSAGE_SENT', 'MESSAGE_DELIVERED'] as const;

/** How long after the receiver is back its operator asks for what it has missed. */
const OPERATOR_TAKES_MS = 3_000;
const MAX_PRINTED_FAULTS = 20;

/** What a run is about, once all of it is up. */
interface Scene {
  readonly folder: string;
  readonly stack: OwnStack;
  readonly view: DatabaseView;
  readonly redis: RedisView;
  readonly receiver: LoadReceiver;
  readonly installation: Installation;
}

/** One run: a steady load with an outage of the receiver in the middle, then quiet, then all there is to judge it by. */
export class LoadRun {
  private readonly faults: string[] = [];
  private readonly endings: Endings;
  private readonly ending = new AbortController();

  constructor(
    private readonly options: LoadOptions,
    private readonly screen: ChaosScreen,
  ) {
    this.endings = new Endings(screen);
  }

  /** @throws when the run itself cannot go on; what the service does wrong is in the evidence. */
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
    const operator = new Operator(api, baseUrl, subscription);
    const fleet = await Fleet.switchOn(phones, {
      baseUrl,
      apiKey: installation.apiKey,
      onFault: this.onFault,
      onOffered: (recipient) => {
        meter.reachedPhone(recipient);
      },
    });
    this.endings.add(() => fleet.stop());
    const meter = new Meter(installation.processes, () => ({
      events: receiver.events,
      // The event of a report can be here before the phone has the answer.
      waiting: Math.max(0, fleet.reported - receiver.events),
    }));
    this.screen.say(`${phones} phones are on; ${rate} sends a second for ${seconds} s`);

    const sends = new Sends(api, baseUrl, fleet.devices, meter, this.onFault);
    const loop = new OpenLoop(this.options, (number, dueAt) => {
      void sends.make(number, dueAt);
    });
    const secondHand = new SecondHand(meter, rate, this.screen);
    this.endings.add(() => {
      loop.stop();
      secondHand.stop();
    });
    secondHand.start();
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const coresUsed = measureCores(installation, stack);
    const sinceFirst = Date.now();
    const breakdown = this.breakReceiver(receiver, operator, secondHand);
    await loop.run();
    const lastSend = Date.now();
    const cores = coresUsed((lastSend - sinceFirst) / 1_000);
    stalls.disable();
    this.screen.say('No more sends: waiting until all has settled');
    await breakdown;
    const unsettled = await untilQuiet(view, { fleet, meter, operator }, this.ending.signal);
    if (unsettled !== undefined) this.onFault(unsettled);
    const settledAfter = (Date.now() - lastSend) / 1_000;
    secondHand.stop();

    const transports = new Map(fleet.devices.map((device) => [device, 'stream']));
    const evidence = {
      ...(await readCounters({ api, baseUrl, view }, [subscription], transports)),
      sends: sends.made,
      airings: fleet.airings,
      uploads: [],
      posts: receiver.posts,
      faults: this.faults,
    };
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
      replayed: operator.replayed,
      mostWaiting: secondHand.mostWaiting,
      caughtUpAfter: secondHand.caughtUpAfter,
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
    await this.endings.all();
  }

  private async setUp(): Promise<Scene> {
    const database = `load_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-load', database);
    mkdirSync(folder, { recursive: true });
    const stack = await OwnStack.start('load');
    this.endings.add(() => stack.stop());
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.endings.add(() => view.close());
    this.endings.add(() => view.drop());
    const redis = new RedisView(stack.redisUrl, database);
    this.endings.add(() => {
      redis.close();
    });
    const receiver = await LoadReceiver.start();
    this.endings.add(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ['api', 'worker', 'scheduler'],
      // All sends are made with one key: the limit of requests a minute is not what is measured.
      environment: { RATE_LIMIT_PER_KEY: '0', MAX_PHONE_REQUESTS_PER_MINUTE: '0' },
      nodeArguments: this.options.isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [],
      restartDelayMs: () => 0,
      onFault: this.onFault,
    });
    this.endings.add(() => installation.stop('SIGTERM'));
    this.screen.say(`${installation.processes.length} processes are up; their logs are in ${folder}`);
    return { folder, stack, view, redis, receiver, installation };
  }

  private readonly onFault = (fault: string): void => {
    if (this.ending.signal.aborted) return;
    this.faults.push(fault);
    if (this.faults.length <= MAX_PRINTED_FAULTS) this.screen.say(`FAULT ${fault}`);
  };

  private async breakReceiver(
    receiver: LoadReceiver,
    operator: Operator,
    secondHand: SecondHand,
  ): Promise<void> {
    const { signal } = this.ending;
    try {
      await outage(receiver, this.options.seconds, {
        signal,
        onChange: (state) => {
          this.screen.say(`the receiver is ${state}`);
        },
      });
      secondHand.receiverIsBack();
      await sleep(OPERATOR_TAKES_MS, undefined, { signal });
      await operator.replay();
      this.screen.say(`replayed what the receiver has missed: ${operator.replayed} deliveries`);
    } catch (failure) {
      if (!signal.aborted)
        this.onFault(`the outage of the receiver did not go as planned: ${String(failure)}`);
    }
  }
}
