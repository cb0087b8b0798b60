import { ApiClient } from '../../test/chaos/api-client';
import { Installation } from '../../test/chaos/installation';
import { startOwnDatabase } from '../own-database';
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
  const { stack, database, folder } = await startOwnDatabase(workbench);
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
