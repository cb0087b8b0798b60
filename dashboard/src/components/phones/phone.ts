import type {
  AccountSimResponse as Sim,
  DeviceResponse as Device,
  QueueResponse as Queue,
  ProblemResponse as Problem,
} from '../../../generated/types.gen';

export type { Device, Problem, Queue, Sim };

/** What a phone that does not tell its model registers. */
const UNKNOWN = 'unknown';

/** The owner's name of a phone, else its model, else its id. */
export const phoneName = ({ name, model, _id }: Pick<Device, 'name' | 'model' | '_id'>): string =>
  [name, model].find((known) => known && known !== UNKNOWN) ?? _id;

/** Brand and model, as far as they are known; some models begin with the brand. */
export function phoneModel({ brand, model }: Pick<Device, 'brand' | 'model'>): string | undefined {
  const known = [brand, model].filter((part) => part && part !== UNKNOWN);
  const isRepeated = model.toLowerCase().startsWith(brand.toLowerCase());
  return (isRepeated ? known.slice(-1) : known).join(' ') || undefined;
}

/** The SIMs that are in a phone, or the one that stands for it if it reports none. */
export function simsIn<Any extends Pick<Sim, 'device' | 'subscriptionId'>>(
  device: string,
  sims: readonly Any[],
): Any[] {
  const own = sims.filter((sim) => sim.device === device);
  const reported = own.filter(({ subscriptionId }) => subscriptionId !== undefined);
  return reported.length > 0 ? reported : own;
}

/** The limits that reset with a period. */
export const QUOTAS = [
  'messagesPerHour',
  'messagesPerDay',
  'messagesPerMonth',
  'recipientsPerMonth',
] as const;

/** The share of a limit from which it is nearly used, as the API sees it. */
const NEARLY_USED = 0.8;

export interface Quota {
  readonly limit: (typeof QUOTAS)[number];
  readonly used: number;
  readonly allowed: number;
  readonly left: number;
  readonly level: 'ok' | 'near' | 'reached';
  readonly resetsAt?: string;
}

/** What is used of the limits of a SIM that reset. */
export function quotasOf({ limits, usage }: Pick<Sim, 'limits' | 'usage'>): Quota[] {
  return QUOTAS.flatMap((limit) => {
    const allowed = limits[limit];
    if (allowed === undefined) return [];
    const { used = 0, resetsAt } = usage[limit] ?? {};
    const left = Math.max(0, allowed - used);
    const level = left === 0 ? 'reached' : used >= NEARLY_USED * allowed ? 'near' : 'ok';
    return [{ limit, used, allowed, left, level, ...(resetsAt && { resetsAt }) } satisfies Quota];
  });
}

/** The quota that ends first, by the share that is used. */
export const tightestQuota = (sim: Pick<Sim, 'limits' | 'usage'>): Quota | undefined =>
  quotasOf(sim).toSorted((a, b) => b.used / b.allowed - a.used / a.allowed)[0];

/** The state of a SIM in one word; those of a disabled phone are disabled with it. */
export const simState = (
  { enabled, health }: Pick<Sim, 'enabled' | 'health'>,
  device: Pick<Device, 'enabled'>,
) => (enabled && device.enabled ? health.state : 'disabled');

/** What is wrong with a phone and the SIMs in it. */
export function problemsOf(device: string, sims: readonly Sim[], problems: readonly Problem[]): Problem[] {
  const ids = new Set([device, ...simsIn(device, sims).map(({ _id }) => _id)]);
  return problems.filter(({ subject }) => subject.id !== undefined && ids.has(subject.id));
}

const SEVERITIES = ['error', 'warning', 'ok'];

/** Phones with problems first, then by name. */
export const byUrgency = (devices: readonly Device[], language: string): Device[] =>
  devices.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(a.health.state) - SEVERITIES.indexOf(b.health.state) ||
      phoneName(a).localeCompare(phoneName(b), language),
  );

/** What waits for a phone, by SIM. */
export const queueOf = (device: string, queue: Queue | undefined) =>
  queue?.sims.filter((entry) => entry.device === device) ?? [];

export const countMessages = (entries: readonly { readonly messages: number }[]): number =>
  entries.reduce((sum, { messages }) => sum + messages, 0);
