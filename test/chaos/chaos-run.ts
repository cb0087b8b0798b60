import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api-client';
import { SeededRandom } from './seeded-random';
import type { ChaosFigures } from './chaos-figures';
import { readCounters } from './counters';
import { DatabaseView } from './database-view';
import { CleanupStack } from './cleanup-stack';
import { Endpoint, ENDPOINT_SECRET } from './endpoint';
import type { Evidence } from './evidence';
import { ExplanationLog } from './explanation-log';
import { ChaosFcm } from './chaos-fcm';
import { Installation } from './installation';
import { planKills } from './kill-plan';
import { Killer, supportedKills } from './killer';
import { LoadBalancer } from './load-balancer';
import type { ChaosOptions } from './options';
import { OwnStack } from './own-stack';
import { planPhoneFaults } from './phone-fault-plan';
import { createPools, POOLS } from './phone-pools';
import { PHONES, PhoneSet } from './phone-set';
import { checkLatency } from './latency-check';
import { waitForRemoval } from './removal-waiter';
import type { ProgressLog } from './progress-log';
import { Sender } from './sender';
import type { ServiceRole } from './service-process';
import { SettlementWaiter } from './settlement-waiter';
import { planWork, WAVE_SIZE } from './work-plan';
import { Workload } from './workload';

const SUBSCRIPTIONS = [
  ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'],
  ['MESSAGE_DELIVERED', 'MESSAGE_RECEIVED'],
] as const;

/** Of the totals; messages are removed once they are part of them. */
const ROLLUP_PERIOD_S = 20;
/** Longer than kills in a row keep the service away on a slow machine: programs repeat a send, and explanations are read, before it. */
const RETENTION_S = 120;
const DAY_S = 86_400;

const ROLES: readonly ServiceRole[] = ['api', 'worker', 'scheduler'];
const PRELOADS = ['clock-skew-preload.cjs', 'fake-fcm-preload.cjs', 'maintenance-kill-preload.cjs'];
const MAX_RESTART_DELAY_MS = 2_000;
/** Retention removes every batch in several steps: in a large run each is killed less often, so that retention ends. */
const MAX_RETENTION_KILL_RATE = 0.0015;
const PROGRESS_INTERVAL_MS = 5_000;

/** The running parts of the test. */
interface RunContext {
  readonly folder: string;
  readonly stack: OwnStack;
  readonly view: DatabaseView;
  readonly fcm: ChaosFcm;
  readonly endpoint: Endpoint;
  readonly installation: Installation;
  /** The URL of the load balancer. */
  readonly baseUrl: string;
}

/** One run: work and kills at the same time, then settlement, then the evidence. */
export class ChaosRun {
  private readonly random: SeededRandom;
  private readonly errors: string[] = [];
  private readonly cleanup: CleanupStack;

  constructor(
    private readonly options: ChaosOptions,
    private readonly progress: ProgressLog,
  ) {
    this.random = new SeededRandom(options.seed);
    this.cleanup = new CleanupStack(progress);
  }

  /** @throws if the test itself fails; errors of the service are in the evidence. */
  async run(): Promise<{ evidence: Evidence; figures: ChaosFigures }> {
    const context = await this.setUp();
    const { installation, endpoint, baseUrl, view, folder } = context;
    const api = new ApiClient(installation.apiKey);
    const subscriptions = await subscribe(api, baseUrl, endpoint);
    const phones = new PhoneSet();
    this.cleanup.defer(() => phones.stop());
    await phones.start(
      { baseUrl, apiKey: installation.apiKey, onError: this.onError },
      { fcm: context.fcm, chance: this.random, seed: this.options.seed },
    );
    const pools = await createPools(api, baseUrl, phones);
    const sender = new Sender(api, installation.apiUrls, this.random.branch('senders'), this.onError);
    const work = new Workload(phones, pools, sender, this.onError);
    this.cleanup.defer(() => {
      work.stop();
    });
    const killer = new Killer({ ...context, phones }, this.random.branch('victims'), this.progress);
    const site = { api, baseUrl, view };
    const explanations = new ExplanationLog(site);
    const settling = new SettlementWaiter(site, phones, work, folder, this.progress, this.onError);

    const stopProgress = this.observe(context, { work, phones, explanations });
    await this.runWorkAndKills(work, { killer, phones }, context.stack);
    this.progress.log('All kills done, waiting until everything has settled');
    await settling.waitUntilSettled();
    stopProgress();
    await view.observe();
    // The first may be one in progress.
    for (let run = 1; run <= 2; run += 1) await explanations.update();
    const readState = () => readCounters(site, subscriptions, phones.transports());
    const streams = { phones: phones.streams, endpoint };
    const readStats = () => api.call(baseUrl, { method: 'GET', path: 'gateway/stats' });
    const removedMessages = this.options.hasRetention
      ? await waitForRemoval(view, readStats, this.progress, this.onError)
      : 0;
    const latencySends = await checkLatency(installation, api, streams, this.progress, this.onError);
    await settling.waitUntilSettled();

    const evidence = {
      ...(await readState()),
      sends: [...work.sends, ...latencySends],
      uploads: work.uploads,
      sentSms: phones.sentSms(),
      pushesInDoubt: context.fcm.pushesInDoubt,
      explanations: explanations.explanations,
      webhookRequests: endpoint.webhookRequests(),
    };
    for (const { smsId, status } of phones.refusedReports) {
      if (await view.isStored(smsId)) this.onError(`the report ${status} of ${smsId} was refused`);
    }
    await phones.stop();
    await installation.stop('SIGTERM');
    const stops = installation.processes.flatMap(({ stopTimesMs }) => stopTimesMs);
    return {
      evidence: { ...evidence, errors: this.errors },
      figures: {
        kills: killer.kills,
        restarts: installation.processes.reduce((sum, { starts }) => sum + starts - 1, 0),
        manualRedeliveries: settling.manualRedeliveries,
        stepKills: installation.processes.reduce((sum, { stepKills }) => sum + stepKills, 0),
        removedMessages,
        lateReports: phones.refusedReports.length,
        slowestStopMs: Math.max(0, ...stops),
        folder,
      },
    };
  }

  /** Stops everything that the run has started. */
  close(): Promise<void> {
    return this.cleanup.runAll();
  }

  private async setUp(): Promise<RunContext> {
    const database = `chaos_${this.options.seed}_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-chaos', database);
    mkdirSync(folder, { recursive: true });
    const stack = await OwnStack.start('chaos', this.options);
    this.cleanup.defer(() => stack.stop());
    for (const [variable, value] of [
      ['MONGODB_URI', process.env.MONGODB_URI],
      ['REDIS_URL', this.options.redis === 'server' ? process.env.REDIS_URL : undefined],
    ] as const) {
      if (value) this.progress.log(`${variable} is set: that server is used but not killed`);
    }
    const view = await DatabaseView.open(stack.mongodbUri, database);
    this.cleanup.defer(() => view.close());
    this.cleanup.defer(() => view.drop());
    const fcm = await ChaosFcm.start(this.random.branch('fcm'));
    this.cleanup.defer(() => fcm.stop());
    const endpoint = await Endpoint.start(this.random.branch('endpoint'));
    this.cleanup.defer(() => endpoint.stop());
    const restarts = this.random.branch('restarts');
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: rolesOf(this.options.processes),
      environment: {
        DISPATCH_WAVE_SIZE: String(WAVE_SIZE),
        CHAOS_FCM_PORT: String(fcm.port),
        CHAOS_SKEW_MS: String(this.options.skewMs),
        ROLLUP_PERIOD_SECONDS: String(ROLLUP_PERIOD_S),
        CHAOS_RETENTION_KILL_RATE: String(Math.min(MAX_RETENTION_KILL_RATE, 1 / this.options.messages)),
        ...(this.options.hasRetention && {
          RETENTION_MESSAGES_DAYS: String(RETENTION_S / DAY_S),
        }),
      },
      nodeArguments: PRELOADS.flatMap((file) => ['--require', join(__dirname, file)]),
      ...(this.options.upgradeFrom !== undefined && { firstDist: join(this.options.upgradeFrom, 'dist') }),
      restartDelayMs: () => restarts.between(0, MAX_RESTART_DELAY_MS),
      onError: this.onError,
    });
    this.cleanup.defer(() => installation.stop('SIGKILL'));
    const balancer = await LoadBalancer.to(installation.apiPorts);
    this.cleanup.defer(() => {
      balancer.close();
    });
    this.progress.log(`${installation.processes.length} processes are up, logs in ${folder}`);
    return { folder, stack, view, fcm, endpoint, installation, baseUrl: balancer.url };
  }

  private async runWorkAndKills(
    work: Workload,
    { killer, phones }: { killer: Killer; phones: PhoneSet },
    stack: OwnStack,
  ): Promise<void> {
    const { rounds, secondsPerRound, killsPerRound, messages, kills } = this.options;
    const roundMs = secondsPerRound * 1_000;
    const durationMs = rounds * roundMs;
    const plan = planWork(this.random.branch('work'), PHONES, POOLS.length, { messages, durationMs });
    const killPlan = planKills(this.random.branch('kills'), supportedKills(kills, stack), {
      rounds,
      roundMs,
      killsPerRound,
    });
    const faultPlan = planPhoneFaults(this.random.branch('phone faults'), PHONES, durationMs);
    const planned = plan.sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
    this.progress.log(
      `${planned} messages in ${plan.sends.length} sends, ${plan.uploads.length} incoming, ` +
        `${killPlan.length} kills, ${faultPlan.length} faults of phones`,
    );
    work.start(plan);
    await Promise.all([killer.run(killPlan), phones.suffer(faultPlan)]);
  }

  private readonly onError = (error: string): void => {
    this.errors.push(error);
    this.progress.log(`ERROR ${error}`);
  };

  private observe(
    { endpoint, view }: RunContext,
    { work, phones, explanations }: { work: Workload; phones: PhoneSet; explanations: ExplanationLog },
  ): () => void {
    const timer = setInterval(() => {
      void view.observe().then(() => explanations.update());
      this.progress.log(
        `${work.sends.length} sends accepted, ${phones.sentSms().length} messages sent, ` +
          `${work.uploads.length} uploads accepted, ${endpoint.count} webhook requests`,
      );
    }, PROGRESS_INTERVAL_MS);
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

/** As many of each role as of the others, or one more. */
const rolesOf = (processes: number): ServiceRole[] =>
  Array.from({ length: processes }, (_, index) => ROLES[index % ROLES.length] ?? 'api');
