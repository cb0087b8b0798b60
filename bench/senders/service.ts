import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { ApiClient } from '../../test/chaos/api-client';
import { Installation } from '../../test/chaos/installation';
import { OwnStack } from '../../test/chaos/own-stack';
import { ROLES, type Workbench } from '../workbench';

/** The running service and its account. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** @throws Error unless the answer is a 2xx. @returns `data` of the answer. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

/** Starts the production service, one process for each role, on an empty database of its own. */
export async function startService(workbench: Workbench): Promise<Service> {
  await workbench.acquireLock();
  const database = `bench_${Date.now().toString(36)}`;
  const folder = join(tmpdir(), 'messaging-gateway-bench', database);
  mkdirSync(folder, { recursive: true });
  workbench.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const stack = await OwnStack.start('bench');
  workbench.defer(() => stack.stop());
  const client = await new mongo.MongoClient(stack.mongodbUri).connect();
  workbench.defer(() => client.close());
  workbench.defer(() => client.db(database).dropDatabase());
  const installation = await Installation.start({
    stack,
    database,
    folder,
    roles: ROLES,
    environment: { RATE_LIMIT_PER_KEY: '0', MAX_PHONE_REQUESTS_PER_MINUTE: '0' },
    nodeArguments: [],
    restartDelayMs: () => 0,
    onError: (error) => workbench.errors.push(error),
  });
  workbench.defer(() => installation.stop('SIGTERM'));
  const { apiKey } = installation;
  const baseUrl = installation.apiUrls[0] ?? '';
  const api = new ApiClient(apiKey);
  return {
    baseUrl,
    apiKey,
    call: (method, path, body) =>
      api.data(baseUrl, { method, path: `gateway/${path}`, body, timeoutMs: 120_000 }),
  };
}
