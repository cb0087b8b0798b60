import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api-client';
import { Chance } from './chance';
import type { ChaosFigures } from './chaos-figures';
import { readCounters } from './counters';
import { DatabaseView } from './database-view';
import { Endings } from './endings';
import { Endpoint, ENDPOINT_SECRET } from './endpoint';
import type { Evidence } from './evidence';
import { FcmStandIn } from './fcm-stand-in';
import { Installation } from './installation';
import { planKills } from './kill-plan';
import { Killer, possibleKills } from './killer';
import { LoadBalancer } from './load-balancer';
import type { ChaosOptions } from './options';
import { OwnStack } from './own-stack';
import { PHONES, PhoneSet } from './phone-set';
import { checkPromptness } from './promptness';
import { recount } from './recount';
import type { ChaosScreen } from './screen';
import { Sender } from './sender';
import { Settling } from './settling';
import { planWork, WAVE_SIZE } from './work-plan';
import { Workload } from './workload';

const SUBSCRIPTIONS = [
  ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'],
  ['MESSAGE_DELIVERED', 'MESSAGE_RECEIVED'],
] as const;

const MAX_RESTART_DELAY_MS = 2_000;
const SAY_EVERY_MS = 5_000;

/** What a run is about, once all of it is up. */
interface Scene {
  readonly folder: string;
  readonly stack: OwnStack;
  readonly view: DatabaseView;
  readonly fcm: FcmStandIn;
  readonly endpoint: Endpoint;
  readonly installation: Installation;
  /** Of all API processes together. */
  readonly baseUrl: string;
}

/** One run: work and kills side by side, then quiet, then all there is to judge it by. */
export class ChaosRun {
  private readonly chance: Chance;
  private readonly faults: string[] = [];
  private readonly endings: Endings;

  constructor(
    private readonly options: ChaosOptions,
    private readonly screen: ChaosScreen,
  ) {
    this.chance = new Chance(options.seed);
    this.endings = new Endings(screen);
  }

  /** @throws when the run itself cannot go on; what the service does wrong is in the evidence. */
  async run(): Promise<{ evidence: Evidence; figures: ChaosFigures }> {
    const scene = await this.setUp();
    const { installation, endpoint, baseUrl, view, folder } = scene;
    const api = new ApiClient(installation.apiKey);
    const subscriptions = await subscribe(api, baseUrl, endpoint);
    const phones = new PhoneSet();
    this.endings.add(() => phones.stop());
    await phones.switchOn(
      { baseUrl, apiKey: installation.apiKey, onFault: this.onFault },
      { fcm: scene.fcm, chance: this.chance, seed: this.options.seed },
    );
    const sender = new Sender(api, installation.apiUrls, this.chance.branch('senders'), this.onFault);
    const work = new Workload(phones, sender, this.onFault);
    this.endings.add(() => {
      work.stop();
    });
    const killer = new Killer({ ...scene, phones }, this.chance.branch('victims'), this.screen);
    const site = { api, baseUrl, view };
    const settling = new Settling(site, phones, work, this.screen, this.onFault);

    const stopSaying = this.sayHowItGoes(work, phones, endpoint);
    await this.workAndKill(work, killer, scene.stack);
    this.screen.say('No more kills: waiting until all has settled');
    await settling.untilQuiet();
    stopSaying();
    const read = () => readCounters(site, subscriptions, phones.transports());
    const drifted = await recount(installation, read, this.screen);
    const streams = { phones: phones.streams, endpoint };
    const prompt = await checkPromptness(installation, api, streams, this.screen, this.onFault);
    await settling.untilQuiet();

    const evidence = {
      ...(await read()),
      sends: [...work.sends, ...prompt],
      uploads: work.uploads,
      airings: phones.airings(),
      posts: endpoint.posts(),
    };
    await phones.stop();
    await installation.stop('SIGTERM');
    const stops = installation.processes.flatMap(({ stopTimesMs }) => stopTimesMs);
    return {
      evidence: { ...evidence, faults: this.faults },
      figures: {
        kills: killer.kills,
        restarts: installation.processes.reduce((sum, { starts }) => sum + starts - 1, 0),
        redeliveredByHand: settling.redeliveredByHand,
        drifted,
        slowestStopMs: Math.max(0, ...stops),
        folder,
      },
    };
  }

  /** Ends whatever the run has started. */
  close(): Promise<void> {
    return this.endings.all();
  }

  private async setUp(): Promise<Scene> {
    const database = `chaos_${this.options.seed}_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-chaos', database);
    mkdirSync(folder, { recursive: true });
    const stack = await OwnStack.start('chaos');
    this.endings.add(() => stack.stop());
    for (const [owns, variable] of [
      [stack.ownsDatabase, 'MONGODB_URI'],
      [stack.ownsRedis, 'REDIS_URL'],
    ] as const) {
      if (!owns) this.screen.say(`${variable} is set: what it names is used and not killed`);
    }
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.endings.add(() => view.close());
    this.endings.add(() => view.drop());
    const fcm = await FcmStandIn.start(this.chance.branch('fcm'));
    this.endings.add(() => fcm.stop());
    const endpoint = await Endpoint.start(this.chance.branch('endpoint'));
    this.endings.add(() => endpoint.stop());
    const restarts = this.chance.branch('restarts');
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ['api', 'api', 'worker', 'worker', 'scheduler'],
      environment: { DISPATCH_WAVE_SIZE: String(WAVE_SIZE), CHAOS_FCM_PORT: String(fcm.port) },
      nodeArguments: ['--require', join(__dirname, 'fake-fcm-preload.cjs')],
      restartDelayMs: () => restarts.between(0, MAX_RESTART_DELAY_MS),
      onFault: this.onFault,
    });
    this.endings.add(() => installation.stop('SIGKILL'));
    const balancer = await LoadBalancer.to(installation.apiPorts);
    this.endings.add(() => {
      balancer.close();
    });
    this.screen.say(`${installation.processes.length} processes are up; their logs are in ${folder}`);
    return { folder, stack, view, fcm, endpoint, installation, baseUrl: balancer.url };
  }

  private async workAndKill(work: Workload, killer: Killer, stack: OwnStack): Promise<void> {
    const { rounds, secondsPerRound, messages, kills } = this.options;
    const roundMs = secondsPerRound * 1_000;
    const plan = planWork(this.chance.branch('work'), PHONES, { messages, durationMs: rounds * roundMs });
    const killPlan = planKills(this.chance.branch('kills'), possibleKills(kills, stack), { rounds, roundMs });
    const planned = plan.sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
    this.screen.say(
      `${planned} messages in ${plan.sends.length} sends, ${plan.uploads.length} incoming, ${killPlan.length} kills`,
    );
    work.start(plan);
    await killer.carryOut(killPlan);
  }

  private readonly onFault = (fault: string): void => {
    this.faults.push(fault);
    this.screen.say(`FAULT ${fault}`);
  };

  private sayHowItGoes(work: Workload, phones: PhoneSet, endpoint: Endpoint): () => void {
    const timer = setInterval(() => {
      this.screen.say(
        `${work.sends.length} sends accepted, ${phones.airings().length} messages aired, ` +
          `${work.uploads.length} uploads taken, ${endpoint.count} webhook requests`,
      );
    }, SAY_EVERY_MS);
    return () => {
      clearInterval(timer);
    };
  }
}

async function subscribe(api: ApiClient, baseUrl: string, endpoint: Endpoint): Promise<string[]> {
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
