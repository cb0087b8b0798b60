import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client';
import { Chance } from './chance';
import { DatabaseView, type Unsettled } from './database-view';
import { Endpoint, ENDPOINT_SECRET } from './endpoint';
import type { Evidence, SendEvidence, UploadEvidence } from './evidence';
import { FcmStandIn } from './fcm-stand-in';
import { Installation } from './installation';
import { type Kill, KILLS, type PlannedKill, planKills } from './kill-plan';
import { LoadBalancer } from './load-balancer';
import type { ChaosOptions } from './options';
import { OwnStack } from './own-stack';
import { type ChaosPhone, FcmPhone, type PhoneSettings, StreamPhone } from './phones';
import type { ChaosScreen } from './screen';
import { Sender } from './sender';
import type { ServiceProcess } from './service-process';
import { type PlannedPhone, planWork, WAVE_SIZE, type WorkPlan } from './work-plan';

/** Two of the stream phones wait a second between messages. */
const PHONES: readonly PlannedPhone[] = [
  ...Array.from({ length: 8 }, (_, number) => ({
    transport: 'stream' as const,
    sendDelaySeconds: number % 4 === 3 ? 1 : 0,
  })),
  ...Array.from({ length: 4 }, () => ({ transport: 'fcm' as const, sendDelaySeconds: 0 })),
];

const SUBSCRIPTIONS = [
  ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'],
  ['MESSAGE_DELIVERED', 'MESSAGE_RECEIVED'],
] as const;

const LONGEST_RESTART_DELAY_MS = 2_000;
const SETTLE_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 1_000;
const SAY_EVERY_MS = 5_000;

/** A delivery that is due later than this is asked for by hand, as an operator would. */
const LATE_MS = 20_000;

/** How long a send may take to the air, and its event to the receiver, when nothing is broken and no sweeper helps. */
const PROMPT_MS = 4_000;

/** What a run came to, beside what it has seen. */
export interface ChaosFigures {
  readonly kills: ReadonlyMap<Kill, number>;
  readonly restarts: number;
  readonly redeliveredByHand: number;
  readonly slowestStopMs: number;
  readonly folder: string;
}

/** One run: work and kills side by side, then quiet, then all there is to judge it by. */
export class ChaosRun {
  private readonly chance: Chance;
  private readonly faults: string[] = [];
  private readonly sends: SendEvidence[] = [];
  private readonly uploads: UploadEvidence[] = [];
  private readonly kills = new Map<Kill, number>();
  private readonly redelivered = new Set<string>();
  private readonly streams: StreamPhone[] = [];
  private readonly phones: ChaosPhone[] = [];
  private readonly closing: (() => Promise<void> | void)[] = [];
  private openWork = 0;
  private isEnding = false;

  constructor(
    private readonly options: ChaosOptions,
    private readonly screen: ChaosScreen,
  ) {
    this.chance = new Chance(options.seed);
  }

  /** @throws when the run itself cannot go on; what the service does wrong is in the evidence. */
  async run(): Promise<{ evidence: Evidence; figures: ChaosFigures }> {
    const { rounds, secondsPerRound, messages } = this.options;
    const database = `chaos_${this.options.seed}_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-chaos', database);
    mkdirSync(folder, { recursive: true });
    const onFault = (fault: string): void => {
      this.faults.push(fault);
      this.screen.say(`FAULT ${fault}`);
    };

    const stack = await OwnStack.start('chaos');
    this.closing.push(() => stack.stop());
    for (const [owns, variable] of [
      [stack.ownsDatabase, 'MONGODB_URI'],
      [stack.ownsRedis, 'REDIS_URL'],
    ] as const) {
      if (!owns) this.screen.say(`${variable} is set: what it names is used and not killed`);
    }
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.closing.push(() => view.close());
    this.closing.push(() => view.drop());
    const fcm = await FcmStandIn.start(this.chance.branch('fcm'));
    this.closing.push(() => fcm.stop());
    const endpoint = await Endpoint.start(this.chance.branch('endpoint'));
    this.closing.push(() => endpoint.stop());
    const restarts = this.chance.branch('restarts');
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ['api', 'api', 'worker', 'worker', 'scheduler'],
      environment: { DISPATCH_WAVE_SIZE: String(WAVE_SIZE), CHAOS_FCM_PORT: String(fcm.port) },
      nodeArguments: ['--require', join(__dirname, 'fake-fcm-preload.cjs')],
      restartDelayMs: () => restarts.between(0, LONGEST_RESTART_DELAY_MS),
      onFault,
    });
    this.closing.push(() => installation.stop('SIGKILL'));
    const balancer = await LoadBalancer.to(installation.apiPorts);
    this.closing.push(() => {
      balancer.close();
    });
    this.screen.say(`${installation.processes.length} processes are up; their logs are in ${folder}`);

    const api = new ApiClient(installation.apiKey);
    const subscriptions = await this.subscribe(api, balancer.url, endpoint);
    await this.switchOnPhones(fcm, { baseUrl: balancer.url, apiKey: installation.apiKey, onFault });

    const durationMs = rounds * secondsPerRound * 1_000;
    const work = planWork(this.chance.branch('work'), PHONES, { messages, durationMs });
    const possible = KILLS.filter(
      (kill) =>
        stack.possible().some((own) => own === kill) ||
        !(kill.startsWith('database') || kill.startsWith('Redis') || kill === 'everything'),
    );
    const roundMs = secondsPerRound * 1_000;
    const kills = planKills(this.chance.branch('kills'), possible, { rounds, roundMs });
    const sender = new Sender(api, installation.apiUrls, this.chance.branch('senders'), onFault);
    const planned = work.sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
    this.screen.say(
      `${planned} messages in ${work.sends.length} sends, ${work.uploads.length} incoming, ${kills.length} kills`,
    );
    const stopSaying = this.sayHowItGoes(endpoint);
    this.startWork(work, sender);
    await this.carryOut(kills, installation, stack);
    this.screen.say('No more kills: waiting until all has settled');
    await this.settle(view, api, balancer.url);
    stopSaying();
    await this.checkPromptness(installation, api, endpoint, onFault);
    await this.settle(view, api, balancer.url);

    const evidence = await this.collect(view, api, balancer.url, endpoint, subscriptions);
    this.isEnding = true;
    for (const phone of this.phones) await phone.stop();
    await installation.stop('SIGTERM');
    const stops = installation.processes.flatMap(({ stopTimesMs }) => stopTimesMs);
    return {
      evidence: { ...evidence, faults: this.faults },
      figures: {
        kills: this.kills,
        restarts: installation.processes.reduce((sum, { starts }) => sum + starts - 1, 0),
        redeliveredByHand: this.redelivered.size,
        slowestStopMs: Math.max(0, ...stops),
        folder,
      },
    };
  }

  /** Ends whatever the run has started. */
  async close(): Promise<void> {
    this.isEnding = true;
    for (const phone of this.phones) await phone.stop();
    for (const close of this.closing.splice(0).reverse()) {
      try {
        await close();
      } catch (failure) {
        this.screen.say(`Could not be ended: ${String(failure)}`);
      }
    }
  }

  private async subscribe(api: ApiClient, baseUrl: string, endpoint: Endpoint): Promise<string[]> {
    const ids: string[] = [];
    for (const events of SUBSCRIPTIONS) {
      const { _id } = await api.data<{ _id: string }>(baseUrl, {
        method: 'POST',
        path: 'webhooks',
        body: { deliveryUrl: endpoint.url, signingSecret: ENDPOINT_SECRET, events },
      });
      ids.push(_id);
    }
    return ids;
  }

  private async switchOnPhones(
    fcm: FcmStandIn,
    settings: Pick<PhoneSettings, 'baseUrl' | 'apiKey' | 'onFault'>,
  ): Promise<void> {
    for (const [number, { transport, sendDelaySeconds }] of PHONES.entries()) {
      const own = {
        ...settings,
        name: `phone-${number}`,
        sendDelaySeconds,
        seed: this.options.seed + number,
      };
      if (transport === 'stream') {
        const phone = await StreamPhone.switchOn(own);
        this.streams.push(phone);
        this.phones.push(phone);
      } else {
        const token = `fcm-token-${number}`;
        const phone = await FcmPhone.register(own, token, this.chance.branch(token));
        fcm.deliverTo(token, phone);
        this.phones.push(phone);
      }
    }
  }

  private startWork({ sends, uploads }: WorkPlan, sender: Sender): void {
    for (const planned of sends) {
      void this.doAt(planned.at, async () => {
        const phone = this.phones[planned.phone];
        if (phone) this.sends.push(await sender.send(planned, phone.device));
      });
    }
    for (const { at, phone: index, sender: from, text, isTwiceAtOnce } of uploads) {
      void this.doAt(at, async () => {
        const phone = this.phones[index];
        if (!phone) return;
        const fingerprint = await phone.upload(from, text, isTwiceAtOnce);
        this.uploads.push({ device: phone.device, fingerprint });
      });
    }
  }

  private async doAt(at: number, work: () => Promise<void>): Promise<void> {
    this.openWork += 1;
    await sleep(at);
    if (this.isEnding) return;
    try {
      await work();
    } catch (failure) {
      this.faults.push(`the chaos test itself failed: ${String(failure)}`);
    } finally {
      this.openWork -= 1;
    }
  }

  private async carryOut(
    kills: readonly PlannedKill[],
    installation: Installation,
    stack: OwnStack,
  ): Promise<void> {
    const start = performance.now();
    const chance = this.chance.branch('victims');
    const under: Promise<void>[] = [];
    for (const { at, kill, downMs } of kills) {
      await sleep(Math.max(0, start + at - performance.now()));
      this.kills.set(kill, (this.kills.get(kill) ?? 0) + 1);
      under.push(this.carryOutOne(kill, downMs, chance, installation, stack));
    }
    await Promise.all(under);
    await Promise.all(installation.processes.map((process) => process.untilReady()));
  }

  private async carryOutOne(
    kill: Kill,
    downMs: number,
    chance: Chance,
    installation: Installation,
    stack: OwnStack,
  ): Promise<void> {
    const victim = (role: ServiceProcess['role']) => chance.pick(installation.withRole(role));
    switch (kill) {
      case 'api':
      case 'worker':
      case 'scheduler': {
        const process = victim(kill);
        this.screen.say(`kill -9 ${process.name}`);
        process.kill();
        return;
      }
      case 'api, asked to stop':
      case 'worker, asked to stop':
      case 'scheduler, asked to stop': {
        const [role] = kill.split(',') as [ServiceProcess['role']];
        const process = victim(role);
        this.screen.say(`SIGTERM ${process.name}`);
        process.askToStop();
        return;
      }
      case 'api, frozen for a while':
      case 'worker, frozen for a while': {
        const [role] = kill.split(',') as [ServiceProcess['role']];
        const process = victim(role);
        this.screen.say(`${process.name} is frozen for ${Math.round(downMs / 1_000)} s`);
        process.freeze(downMs);
        await sleep(downMs);
        return;
      }
      case 'database away while all are asked to stop':
      case 'Redis away while all are asked to stop':
        this.screen.say(kill);
        await stack.kill(kill, downMs, () => {
          for (const process of installation.processes) process.askToStop();
        });
        this.screen.say('it is back');
        return;
      case 'phone':
        this.screen.say('a stream phone dies');
        await chance.pick(this.streams).die(downMs);
        return;
      case 'everything':
        this.screen.say('kill -9 everything at once');
        for (const process of installation.processes) process.kill();
        await stack.kill(kill, downMs);
        return;
      case 'Redis with its data':
      case 'database':
      case 'database server':
      case 'database front':
        this.screen.say(`kill -9 ${kill}`);
        await stack.kill(kill, downMs);
        this.screen.say(`${kill}: back`);
    }
  }

  /** Waits until nothing moves any more. What has not settled in time shows in the evidence. */
  private async settle(view: DatabaseView, api: ApiClient, baseUrl: string): Promise<void> {
    const streamDevices = this.streams.map(({ device }) => device);
    const end = Date.now() + SETTLE_WITHIN_MS;
    let saidAt = Date.now();
    let calmLooks = 0;
    let left: Unsettled | undefined;
    while (Date.now() < end) {
      await sleep(LOOK_EVERY_MS);
      const idle = await Promise.all(this.phones.map((phone) => phone.isIdle()));
      left = await view.unsettled(streamDevices);
      await this.redeliverLate(view, api, baseUrl);
      const isCalm =
        this.openWork === 0 && idle.every(Boolean) && Object.values(left).every((count) => count === 0);
      calmLooks = isCalm ? calmLooks + 1 : 0;
      if (calmLooks === 2) return;
      if (Date.now() - saidAt > 2 * SAY_EVERY_MS) {
        saidAt = Date.now();
        this.screen.say(`still to settle: ${this.openWork} calls, ${JSON.stringify(left)}`);
      }
    }
    this.faults.push(
      `not settled after ${SETTLE_WITHIN_MS / 1_000} s: ${this.openWork} calls, ${JSON.stringify(left)}`,
    );
  }

  private async redeliverLate(view: DatabaseView, api: ApiClient, baseUrl: string): Promise<void> {
    for (const id of await view.lateDeliveries(new Date(Date.now() + LATE_MS))) {
      if (this.redelivered.has(id)) continue;
      this.redelivered.add(id);
      await api.data(baseUrl, { method: 'POST', path: `webhooks/notifications/${id}/redeliver` });
    }
  }

  /**
   * With one worker and no scheduler, a send must be on the air and its event delivered at once, from every API process:
   * a process that came through the outages and hears of nothing any more would hide behind the sweepers otherwise.
   */
  private async checkPromptness(
    installation: Installation,
    api: ApiClient,
    endpoint: Endpoint,
    onFault: (fault: string) => void,
  ): Promise<void> {
    const [survivor, ...others] = [...installation.withRole('worker')].sort(
      (one, other) => one.starts - other.starts,
    );
    if (!survivor) return;
    await Promise.all(
      [...others, ...installation.withRole('scheduler')].map((process) => process.retire('SIGTERM')),
    );
    const times: number[] = [];
    for (const [number, phone] of this.streams.entries()) {
      const recipient = `+4916000000${String(number)}`;
      const text = `Prompt ${number}`;
      const key = `prompt-${number}`;
      const api1or2 = number % installation.apiUrls.length;
      const started = performance.now();
      const { smsBatchId } = await api.data<{ smsBatchId: string }>(installation.apiUrls[api1or2] ?? '', {
        method: 'POST',
        path: 'gateway/send-sms',
        body: { deviceId: phone.device, message: text, recipients: [recipient] },
        idempotencyKey: key,
      });
      this.sends.push({ key, device: phone.device, text, recipients: [recipient], batches: [smsBatchId] });
      const airing = () => phone.airings().find((aired) => aired.recipient === recipient);
      const isPosted = () => endpoint.posts().some(({ smsId }) => smsId === airing()?.smsId);
      while (!isPosted() && performance.now() - started < PROMPT_MS) await sleep(20);
      const what = `with ${survivor.name} alone, a send at api ${api1or2 + 1} to phone ${number}`;
      if (!airing()) onFault(`${what} was not on the air within ${PROMPT_MS / 1_000} s`);
      else if (!isPosted()) onFault(`${what} had no event within ${PROMPT_MS / 1_000} s`);
      else times.push(performance.now() - started);
    }
    const slowest = Math.round(Math.max(0, ...times));
    this.screen.say(
      `with ${survivor.name} alone, ${times.length} sends had their first event within ${slowest} ms`,
    );
  }

  private async collect(
    view: DatabaseView,
    api: ApiClient,
    baseUrl: string,
    endpoint: Endpoint,
    subscriptions: readonly string[],
  ): Promise<Evidence> {
    const get = <T>(path: string) => api.data<T>(baseUrl, { method: 'GET', path });
    const devices =
      await get<{ _id: string; sentSMSCount: number; receivedSMSCount: number }[]>('gateway/devices');
    const totals = await get<{ totalSentSMSCount: number; totalReceivedSMSCount: number }>('gateway/stats');
    const webhooks = await Promise.all(
      subscriptions.map((id) =>
        get<{
          _id: string;
          events: string[];
          successfulDeliveryCount: number;
          deliveryFailureCount: number;
          deliveryAttemptCount: number;
        }>(`webhooks/${id}`),
      ),
    );
    const transports = new Map(this.phones.map(({ device, transport }) => [device, transport]));
    return {
      sends: this.sends,
      airings: this.phones.flatMap((phone) => phone.airings()),
      uploads: this.uploads,
      posts: endpoint.posts(),
      devices: devices.map(({ _id, sentSMSCount, receivedSMSCount }) => ({
        id: _id,
        transport: transports.get(_id) ?? 'not of the run',
        sentSMSCount,
        receivedSMSCount,
      })),
      batches: await view.batches(),
      messages: await view.messages(),
      deliveries: await view.deliveries(),
      subscriptions: webhooks.map((webhook) => ({
        id: webhook._id,
        events: webhook.events,
        successes: webhook.successfulDeliveryCount,
        failures: webhook.deliveryFailureCount,
        attempts: webhook.deliveryAttemptCount,
      })),
      totals: { sent: totals.totalSentSMSCount, received: totals.totalReceivedSMSCount },
      usage: await view.usageOfMonth(),
      faults: [],
    };
  }

  private sayHowItGoes(endpoint: Endpoint): () => void {
    const timer = setInterval(() => {
      const aired = this.phones.reduce((sum, phone) => sum + phone.airings().length, 0);
      this.screen.say(
        `${this.sends.length} sends accepted, ${aired} messages aired, ${this.uploads.length} uploads taken, ` +
          `${endpoint.count} webhook requests`,
      );
    }, SAY_EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }
}
