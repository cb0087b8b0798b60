import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from 'messaging-gateway-phone';

export interface ServiceAddress {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * The address and key of the service: from the arguments, `MGW_URL` and `API_KEY`, or the running `npm start`.
 * @throws Error if one is missing.
 */
export function findService(given: Partial<ServiceAddress>): ServiceAddress {
  const known = { url: given.url ?? process.env.MGW_URL, apiKey: given.apiKey ?? process.env.API_KEY };
  const running = known.url !== undefined && known.apiKey !== undefined ? {} : readRunningService();
  const url = known.url ?? running.url;
  // The key must not be sent to another service.
  const apiKey = known.apiKey ?? (url === running.url ? running.apiKey : undefined);
  if (url === undefined || apiKey === undefined) {
    throw new Error(
      'no running service found: run npm start first, or give --url and --api-key (or MGW_URL and API_KEY)',
    );
  }
  return { url, apiKey };
}

function readRunningService(): Partial<ServiceAddress> {
  let note: unknown;
  try {
    note = JSON.parse(readFileSync(join(localStackHome(), 'running.json'), 'utf8'));
  } catch {
    return {};
  }
  if (!isRecord(note)) return {};
  return {
    url: typeof note.url === 'string' ? note.url : undefined,
    apiKey: typeof note.apiKey === 'string' ? note.apiKey : undefined,
  };
}

function localStackHome(): string {
  const { LOCAL_STACK_HOME, XDG_CACHE_HOME } = process.env;
  if (isSet(LOCAL_STACK_HOME)) return LOCAL_STACK_HOME;
  return join(isSet(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache'), 'messaging-gateway');
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
