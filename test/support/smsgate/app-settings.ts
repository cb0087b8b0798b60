import {
  asObject,
  type JsonObject,
  optionalBoolean,
  optionalInteger,
  optionalString,
  UnreadableJson,
} from './gson';

/** What the app keeps of its settings. */
export interface AppSettings {
  readonly channel?: 'AUTO' | 'SSE_ONLY';
  readonly order?: 'LIFO' | 'FIFO';
  /** Seconds between two SMS. */
  readonly sendInterval?: number;
  readonly limitPeriod?: 'Disabled' | 'PerMinute' | 'PerHour' | 'PerDay';
  readonly limitValue?: number;
  /** Seconds. */
  readonly pingInterval?: number;
  readonly signingKey?: string;
  readonly hookRetries?: number;
}

const SIM_SELECTION = ['OSDefault', 'RoundRobin', 'Random'] as const;

/**
 * Reads the settings that the service wants; one wrong value refuses all of them.
 * @throws UnreadableJson
 */
export function readSettings(body: unknown, knowsChannel: boolean): AppSettings {
  const json = asObject(body, 'settings');
  const section = (name: string): JsonObject =>
    json[name] === undefined || json[name] === null ? {} : asObject(json[name], name);
  const [gateway, messages, ping, webhooks, logs] = [
    section('gateway'),
    section('messages'),
    section('ping'),
    section('webhooks'),
    section('logs'),
  ];
  const cloudUrl = optionalString(gateway, 'cloud_url');
  if (cloudUrl !== undefined && !cloudUrl.startsWith('https://'))
    throw new UnreadableJson('gateway.cloud_url must start with https://');
  exactEnum(messages, 'sim_selection_mode', SIM_SELECTION);
  positive(messages, 'send_interval_max');
  positive(messages, 'log_lifetime_days');
  positive(logs, 'lifetime_days');
  optionalBoolean(webhooks, 'internet_required');
  const settings: AppSettings = {
    channel: exactEnum(gateway, 'notification_channel', knowsChannel ? ['AUTO', 'SSE_ONLY'] : ['AUTO']),
    order: exactEnum(messages, 'processing_order', ['LIFO', 'FIFO']),
    sendInterval: positive(messages, 'send_interval_min'),
    limitPeriod: exactEnum(messages, 'limit_period', ['Disabled', 'PerMinute', 'PerHour', 'PerDay']),
    limitValue: positive(messages, 'limit_value'),
    pingInterval: positive(ping, 'interval_seconds'),
    signingKey: optionalString(webhooks, 'signing_key'),
    hookRetries: positive(webhooks, 'retry_count'),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function exactEnum<T extends string>(section: JsonObject, name: string, values: readonly T[]): T | undefined {
  const value = optionalString(section, name);
  if (value === undefined) return undefined;
  const found = values.find((each) => each === value);
  if (found === undefined) throw new UnreadableJson(`${name}: ${value} is none of ${values.join(', ')}`);
  return found;
}

function positive(section: JsonObject, name: string): number | undefined {
  return optionalInteger(section, name, { least: 1, most: 2 ** 31 - 1 });
}
