import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../test/load/statistics';
import { AppStorage } from '../../test/support/smsgate/app-storage';
import { EventStream } from '../../test/support/smsgate/event-stream';
import { SmsGateApp } from '../../test/support/smsgate/smsgate-app';
import { DeviceTokens } from '../device-tokens';
import { recipientOf, TEXT } from '../documents';
import { inLanes } from '../in-lanes';
import type { Records } from '../records';
import { createTenant, type Tenant } from '../tenant';
import type { Workbench, WorkbenchTools } from '../workbench';
import type { SmsGateBenchOptions } from './options';

export interface SmsGateFigures {
  readonly streams: number;
  /** Of the API process, see `measureMemory`. */
  readonly kilobytesPerStream: number;
  /** From the send to its arrival in the app, in milliseconds, of phones that were not woken within two seconds. */
  readonly p50: number;
  readonly p99: number;
  /** The same of phones that were. */
  readonly wokenP50: number;
  readonly wokenP99: number;
}

const PHONES_PER_ACCOUNT = 100;
const WARM_UP_STREAMS = 200;
/** Streams that are opened at the same time. */
const CONCURRENCY = 50;
const APPS = 40;
/** Until then V8 compiles. */
const WARM_UP_MESSAGES = 120;
/** Longer than the two seconds within which a phone is told to fetch only once. */
const UNWOKEN_MS = 2_500;
const ARRIVAL_TIMEOUT_MS = 30_000;

/** Holds the streams of many phones at one API process, and sends messages to some of them. */
export class SmsGateBench {
  private sent = 0;

  constructor(
    private readonly options: SmsGateBenchOptions,
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  async run(): Promise<SmsGateFigures> {
    const tools = await this.workbench.start({ hasPhones: true });
    const tokens = new DeviceTokens(tools.records);
    const kilobytesPerStream = await this.measureMemory(tools, tokens);
    const tenant = await pairPhones(tools.records, tokens, APPS);
    const apps = await this.startApps(tools, tokens, tenant);
    this.log(`${apps.length} apps are online`);
    const { messages } = this.options;
    await this.measureLatency(tools, tenant, apps, { count: WARM_UP_MESSAGES, pauseMs: UNWOKEN_MS });
    const unwoken = await this.measureLatency(tools, tenant, apps, { count: messages, pauseMs: UNWOKEN_MS });
    // Each takes two seconds.
    const count = Math.ceil(messages / 10);
    const woken = await this.measureLatency(tools, tenant, apps.slice(0, 1), { count, pauseMs: 0 });
    this.workbench.check();
    return {
      streams: this.options.streams,
      kilobytesPerStream,
      p50: Math.round(percentile(unwoken, 0.5)),
      p99: Math.round(percentile(unwoken, 0.99)),
      wokenP50: Math.round(percentile(woken, 0.5)),
      wokenP99: Math.round(percentile(woken, 0.99)),
    };
  }

  private async measureMemory(tools: WorkbenchTools, tokens: DeviceTokens): Promise<number> {
    const devices: string[] = [];
    while (devices.length < this.options.streams) {
      const tenant = await pairPhones(tools.records, tokens, PHONES_PER_ACCOUNT);
      devices.push(...tenant.devices.map((id) => id.toHexString()));
    }
    const [url = ''] = tools.installation.apiUrls;
    const open = (ids: readonly string[]) =>
      openStreams(
        `${url}/sms/events`,
        ids.map((id) => tokens.tokenOf(id)),
      );
    for (const stream of await open(devices.slice(0, WARM_UP_STREAMS))) stream.cut();
    await sleep(UNWOKEN_MS);
    const before = await tools.control.measureMemory('api');
    const streams = await open(devices.slice(0, this.options.streams));
    this.workbench.defer(() => {
      for (const stream of streams) stream.cut();
    });
    await sleep(UNWOKEN_MS);
    const isOpen = streams.filter((stream) => stream.isOpen).length;
    if (isOpen < this.options.streams) throw new Error(`Only ${isOpen} streams are open`);
    const after = await tools.control.measureMemory('api');
    this.log(`${isOpen} streams are open`);
    return Number(((after - before) / 1_000 / isOpen).toFixed(1));
  }

  private async startApps(
    tools: WorkbenchTools,
    tokens: DeviceTokens,
    tenant: Tenant,
  ): Promise<SmsGateApp[]> {
    const [url = ''] = tools.installation.apiUrls;
    const apps = tenant.devices.map((device) => {
      const storage = new AppStorage();
      const id = device.toHexString();
      storage.registration = { id, token: tokens.tokenOf(id), login: '' };
      return new SmsGateApp({ apiUrl: `${url}/sms`, storage, timeScale: 1 });
    });
    this.workbench.defer(() => {
      for (const app of apps) app.stop();
    });
    for (const app of apps) await app.start();
    await sleep(UNWOKEN_MS);
    return apps;
  }

  /** Sends to each app in turn, and at least so long after its last message. @returns the latencies in milliseconds. */
  private async measureLatency(
    { http }: WorkbenchTools,
    tenant: Tenant,
    apps: readonly SmsGateApp[],
    { count, pauseMs }: { readonly count: number; readonly pauseMs: number },
  ): Promise<number[]> {
    const latencies: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const app = apps[index % apps.length];
      if (!app) break;
      const aired = app.aired.length;
      const start = performance.now();
      await http.call({
        method: 'POST',
        path: 'gateway/send-sms',
        apiKey: tenant.apiKey,
        body: { deviceId: app.deviceId, message: TEXT, recipients: [recipientOf((this.sent += 1))] },
      });
      while (app.aired.length === aired) {
        if (performance.now() - start > ARRIVAL_TIMEOUT_MS) throw new Error('A message did not arrive');
        await sleep(1);
      }
      latencies.push((app.aired[aired]?.at ?? 0) - start);
      await sleep(pauseMs / apps.length);
    }
    return latencies;
  }
}

/** An account whose phones have the app. */
async function pairPhones(records: Records, tokens: DeviceTokens, count: number): Promise<Tenant> {
  const tenant = await createTenant(records, 'smsgate', count);
  await records.devices.updateMany(
    { user: tenant.user },
    { $set: { pushTransport: 'wake', supportsCancel: true }, $unset: { stream: 1 } },
  );
  await tokens.store(tenant);
  return tenant;
}

/** Opens streams, and waits until each is open or has ended. */
async function openStreams(url: string, tokens: readonly string[]): Promise<EventStream[]> {
  const streams: EventStream[] = [];
  await inLanes(
    tokens,
    CONCURRENCY,
    (token) =>
      new Promise<void>((resolve) => {
        const done = () => {
          resolve();
        };
        streams.push(new EventStream(url, token, { onOpen: done, onEvent: () => undefined, onEnd: done }));
      }),
  );
  return streams;
}
