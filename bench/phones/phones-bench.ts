import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../test/load/statistics';
import type { Build } from '../builds';
import { deviceAt, recipientOf, TEXT } from '../documents';
import { inLanes } from '../in-lanes';
import type { Records } from '../records';
import { createTenant, type Tenant } from '../tenant';
import type { Workbench, WorkbenchTools } from '../workbench';
import type { PhonesFigures } from './phones-figures';
import { StreamingPhone } from './streaming-phone';

const PHONES_PER_ACCOUNT = 200;
const WARM_UP_STREAMS = 200;
/** Streams that are opened at the same time before the restart. */
const CONCURRENCY = 50;
const SETTLING_MS = 3_000;
const IDLE_MS = 60_000;

const MESSAGES_PER_SECOND = 20;
/** Until then V8 compiles. */
const WARM_UP_MESSAGES = 400;
const MESSAGES = 600;
const ARRIVAL_TIMEOUT_MS = 30_000;

const RESTART_TIMEOUT_MS = 120_000;
const POLL_MS = 20;

interface Arrival {
  readonly id: string;
  readonly at: number;
}

/** Holds the streams of many phones of many accounts at one API process. */
export class PhonesBench {
  private readonly answers = new Map<string, number>();
  /** By recipient, in epoch milliseconds. */
  private readonly arrivals = new Map<string, Arrival>();
  private sent = 0;

  constructor(
    private readonly streams: number,
    private readonly build: Build,
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  async run(): Promise<PhonesFigures> {
    const { tools, tenants, phones } = await this.start();
    const kilobytesPerStream = await this.measureMemory(tools, tenants[0], phones);
    const idle = await this.measureIdle(tools);
    const push = await this.measurePushes(tools, tenants);
    const restart = await this.measureRestart(tools, phones);
    this.workbench.check();
    const { streams } = this;
    return { build: this.build.build, streams, kilobytesPerStream, idle, push, restart };
  }

  /** Measures the memory of the streams alone. @returns kB for each. */
  async runMemory(): Promise<number> {
    const { tools, tenants, phones } = await this.start();
    return this.measureMemory(tools, tenants[0], phones);
  }

  private async start() {
    const tools = await this.workbench.start({
      dist: this.build.dist,
      hasPhones: true,
      countsCommands: true,
      measuresTurns: true,
      environment: {
        MAX_STREAMS_PER_ACCOUNT: String(PHONES_PER_ACCOUNT),
        MAX_CONNECTIONS: '20000',
        MAX_CONNECTIONS_PER_ADDRESS: '10000',
      },
    });
    const tenants: Tenant[] = [];
    while (tenants.length * PHONES_PER_ACCOUNT < this.streams)
      tenants.push(await createPhones(tools.records, PHONES_PER_ACCOUNT));
    const phones = tenants
      .flatMap((tenant, account) => this.phonesOf(tools, tenant, `127.0.1.${account + 1}`))
      .slice(0, this.streams);
    this.workbench.defer(() => {
      for (const phone of phones) phone.stop();
    });
    return { tools, tenants, phones };
  }

  private phonesOf(
    { installation }: WorkbenchTools,
    { apiKey, devices }: Tenant,
    localAddress: string,
  ): StreamingPhone[] {
    const [port = 0] = installation.apiPorts;
    return devices.map(
      (id) =>
        new StreamingPhone(
          { port, deviceId: id.toHexString(), apiKey, localAddress },
          {
            onAnswer: (answer) => this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1),
            onMessage: (smsId, recipient) => {
              if (!this.arrivals.has(recipient)) this.arrivals.set(recipient, { id: smsId, at: Date.now() });
            },
          },
        ),
    );
  }

  private async measureMemory(
    tools: WorkbenchTools,
    tenant: Tenant | undefined,
    phones: readonly StreamingPhone[],
  ): Promise<number> {
    const warmUp = tenant ? this.phonesOf(tools, tenant, '127.0.1.1').slice(0, WARM_UP_STREAMS) : [];
    await inLanes(warmUp, CONCURRENCY, (phone) => phone.open());
    for (const phone of warmUp) phone.stop();
    await sleep(SETTLING_MS);
    const before = await tools.control.measureMemory('api');
    await inLanes(phones, CONCURRENCY, (phone) => phone.open());
    await sleep(SETTLING_MS);
    const open = countOpen(phones);
    if (open < phones.length) throw new Error(`Only ${open} streams are open: ${this.listAnswers()}`);
    this.log(`${this.build.build}: ${open} streams are open`);
    return Number((((await tools.control.measureMemory('api')) - before) / 1_000 / open).toFixed(1));
  }

  private async measureIdle({ control }: WorkbenchTools): Promise<PhonesFigures['idle']> {
    await sleep(SETTLING_MS);
    await control.takeCommands(['api']);
    await control.takeTurns('api');
    await sleep(IDLE_MS);
    return { ...(await control.takeTurns('api')), commands: await control.takeCommands(['api']) };
  }

  private async measurePushes(
    tools: WorkbenchTools,
    tenants: readonly Tenant[],
  ): Promise<PhonesFigures['push']> {
    const { control } = tools;
    await this.sendSteadily(tools, tenants, WARM_UP_MESSAGES);
    await control.takeOffers();
    await control.takeTurns('api');
    const sentAt = await this.sendSteadily(tools, tenants, MESSAGES);
    const { longestBlockMs } = await control.takeTurns('api');
    const offers = await control.takeOffers();
    const fromSend: number[] = [];
    const fromOffer: number[] = [];
    for (const [recipient, at] of sentAt) {
      const arrival = this.arrivals.get(recipient);
      if (!arrival) throw new Error(`The message to ${recipient} did not arrive`);
      fromSend.push(arrival.at - at);
      fromOffer.push(arrival.at - (offers.get(arrival.id) ?? at));
    }
    return {
      p50: percentile(fromOffer, 0.5),
      p99: percentile(fromOffer, 0.99),
      sendP50: percentile(fromSend, 0.5),
      sendP99: percentile(fromSend, 0.99),
      longestBlockMs,
    };
  }

  /** Sends to one phone after another, whether or not earlier calls were answered. @returns when, by recipient. */
  private async sendSteadily(
    { http }: WorkbenchTools,
    tenants: readonly Tenant[],
    count: number,
  ): Promise<Map<string, number>> {
    const sentAt = new Map<string, number>();
    const calls: Promise<unknown>[] = [];
    const startedAt = performance.now();
    const phonesOfLast = this.streams - (tenants.length - 1) * PHONES_PER_ACCOUNT;
    for (let index = 0; index < count; index += 1) {
      await sleep(Math.max(0, startedAt + (index * 1_000) / MESSAGES_PER_SECOND - performance.now()));
      this.sent += 1;
      const account = this.sent % tenants.length;
      const tenant = tenants[account];
      if (!tenant) break;
      const recipient = recipientOf(this.sent);
      const turn = Math.floor(this.sent / tenants.length);
      const deviceId = deviceAt(tenant, account === tenants.length - 1 ? turn % phonesOfLast : turn);
      sentAt.set(recipient, Date.now());
      const body = { deviceId, message: TEXT, recipients: [recipient] };
      calls.push(http.call({ method: 'POST', path: 'gateway/send-sms', apiKey: tenant.apiKey, body }));
    }
    await Promise.all(calls);
    await waitUntil(
      () => [...sentAt.keys()].every((recipient) => this.arrivals.has(recipient)),
      ARRIVAL_TIMEOUT_MS,
      'Messages did not arrive',
    );
    return sentAt;
  }

  private async measureRestart(
    { installation, control }: WorkbenchTools,
    phones: readonly StreamingPhone[],
  ): Promise<PhonesFigures['restart']> {
    const [api] = installation.withRole('api');
    if (!api) throw new Error('There is no API process');
    const { pid } = api;
    this.answers.clear();
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1_000;
    api.kill();
    await waitUntil(() => api.pid !== pid, RESTART_TIMEOUT_MS, 'The process was not killed');
    await api.waitUntilReady();
    const untilReady = seconds();
    await waitUntil(
      () => countOpen(phones) === phones.length,
      RESTART_TIMEOUT_MS,
      () => `Only ${countOpen(phones)} streams are open again: ${this.listAnswers()}`,
    );
    const untilOpen = seconds();
    this.log(`${this.build.build}: all are open again`);
    // Until what was stored with them is answered.
    await sleep(SETTLING_MS);
    const { longestBlockMs } = await control.takeTurns('api');
    return { untilReady, untilOpen, answers: Object.fromEntries(this.answers), longestBlockMs };
  }

  private listAnswers(): string {
    return [...this.answers].map(([answer, count]) => `${count} ${answer}`).join(', ');
  }
}

async function createPhones(records: Records, count: number): Promise<Tenant> {
  const tenant = await createTenant(records, 'phones', count);
  await records.devices.updateMany({ user: tenant.user }, { $unset: { stream: 1 } });
  return tenant;
}

const countOpen = (phones: readonly StreamingPhone[]): number => phones.filter(({ isOpen }) => isOpen).length;

async function waitUntil(
  isMet: () => boolean,
  timeoutMs: number,
  failure: string | (() => string),
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!isMet()) {
    if (performance.now() > end) throw new Error(typeof failure === 'string' ? failure : failure());
    await sleep(POLL_MS);
  }
}
