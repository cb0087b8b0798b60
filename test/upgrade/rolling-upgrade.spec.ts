import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VirtualPhone } from 'messaging-gateway-phone';
import { ApiClient } from '../chaos/api-client';
import { Installation } from '../chaos/installation';
import { LoadBalancer } from '../chaos/load-balancer';
import type { ServiceProcess, ServiceRole } from '../chaos/service-process';
import { eventually } from '../support/eventually';
import { newStore } from '../support/test-store';
import { WebhookReceiver } from '../support/webhook-receiver';
import { SteadyCalls } from './steady-calls';

/** In the order of docs/operate/operations.md. */
const ROLES: readonly ServiceRole[] = ['worker', 'worker', 'scheduler', 'api', 'api'];
const PHONES = 2;
/** With all processes of a version, before the next one is replaced. */
const CALM_MS = 1_000;
const REPLACED_WITHIN_MS = 120_000;

/** A checkout with the packages and the build of the version before; by default this build replaces itself. */
const { UPGRADE_FROM } = process.env;

describe('a rolling upgrade', () => {
  const store = newStore();
  const folder = mkdtempSync(join(tmpdir(), 'rolling-upgrade-'));
  const errors: string[] = [];
  let installation: Installation;
  let balancer: LoadBalancer;
  let receiver: WebhookReceiver;
  let phones: VirtualPhone[];
  let api: ApiClient;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const { MONGODB_URI = '', MONGODB_DATABASE = '', REDIS_URL = '', REDIS_PREFIX = '' } = store.environment;
    installation = await Installation.start({
      stack: { environment: { MONGODB_URI, REDIS_URL }, wasDownSince: () => false },
      database: MONGODB_DATABASE,
      folder,
      roles: ROLES,
      environment: { REDIS_PREFIX },
      nodeArguments: [],
      ...(UPGRADE_FROM !== undefined && { firstDist: resolve(UPGRADE_FROM, 'dist') }),
      restartDelayMs: () => 0,
      onError: (error) => errors.push(error),
    });
    balancer = await LoadBalancer.to(installation.apiPorts);
    api = new ApiClient(installation.apiKey);
    await api.data(balancer.url, {
      method: 'POST',
      path: 'webhooks',
      body: {
        deliveryUrl: receiver.url,
        signingSecret: 'a secret of the upgrade test',
        events: ['MESSAGE_DELIVERED'],
      },
    });
    phones = Array.from(
      { length: PHONES },
      () =>
        new VirtualPhone({
          baseUrl: balancer.url,
          apiKey: installation.apiKey,
          sendDelaySeconds: 0,
          deliveryDelaySeconds: 0.1,
          stream: { maxBackoffMs: 1_000 },
        }),
    );
    for (const phone of phones) await phone.start();
  });
  afterAll(async () => {
    for (const phone of phones) await phone.stop();
    balancer.close();
    await installation.stop('SIGTERM');
    await receiver.stop();
    await store.drop();
    rmSync(folder, { recursive: true });
  });

  it('answers every call, and loses and doubles nothing, while process after process is replaced', async () => {
    const calls = SteadyCalls.start(
      api,
      installation.apiUrls,
      phones.map((phone) => phone.deviceId),
    );
    await sleep(CALM_MS);
    for (const process of installation.processes) {
      await replace(process, calls);
      await sleep(CALM_MS);
    }
    const sends = await calls.stop();
    expect(calls.failures).toEqual([]);
    expect(errors).toEqual([]);
    expect(sends.length).toBeGreaterThan(50);

    const delivered = () => receiver.received.map(({ event }) => event);
    await eventually(
      () => new Set(delivered().map(({ smsId }) => smsId)).size,
      (count) => count >= sends.length,
    );
    const sent = phones.flatMap((phone) => phone.airLog);
    expect(sent.map(({ smsBatchId }) => smsBatchId).toSorted()).toEqual(sends.toSorted());
    expect(new Set(delivered().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(sends.length);
    const failed = await api.data<unknown[]>(balancer.url, {
      method: 'GET',
      path: 'gateway/messages?status=failed',
    });
    expect(failed).toEqual([]);
  });

  /** As a load balancer and a supervisor do: no new calls, then SIGTERM, and calls again once the new process is ready. */
  async function replace(process: ServiceProcess, calls: SteadyCalls): Promise<void> {
    const url = installation.apiUrls[installation.withRole('api').indexOf(process)];
    if (url !== undefined) await calls.leave(url);
    process.terminate();
    await eventually(
      () => process.starts,
      (count) => count === 2,
      REPLACED_WITHIN_MS,
    );
    await process.waitUntilReady(REPLACED_WITHIN_MS);
    if (url !== undefined) calls.enter(url);
  }
});
