import type { PoolPatchRequest, PoolRequest, PoolResponse as Pool } from '../../../generated/types.gen';
import {
  countMessages,
  type Device,
  type Queue,
  quotasOf,
  type Sim,
  simsIn,
} from '../../components/phones/phone';

export type { Pool };

export const STRATEGIES = ['sticky', 'round-robin', 'least-loaded'] as const;

export type MemberState = 'ok' | 'trial' | 'disabled' | 'draining' | 'unreachable' | 'limits' | 'unhealthy';

/** A SIM of a pool, and whether it can send now. */
export interface Member {
  readonly sim: Sim;
  readonly device?: Device;
  readonly state: MemberState;
  /** Messages that wait for it, also those that are not of the pool. */
  readonly waiting: number;
}

/** What pools are made of. */
export interface Senders {
  readonly sims: readonly Sim[];
  readonly devices: readonly Device[];
  readonly queue: Queue | undefined;
}

/** The SIMs of a pool in its order. */
export function membersOf({ sims: ids }: Pick<Pool, 'sims'>, { sims, devices, queue }: Senders): Member[] {
  return ids.flatMap((id) => {
    const sim = sims.find(({ _id }) => _id === id);
    if (!sim) return [];
    const device = phoneOf(sim, { sims, devices });
    const waiting = countMessages(queue?.sims.filter((entry) => entry.sim === id) ?? []);
    return [{ sim, ...(device && { device }), state: memberState(sim, device), waiting }];
  });
}

/** The phone that a SIM is in; a card that was taken out is in none. */
export const phoneOf = (sim: Sim, { sims, devices }: Pick<Senders, 'sims' | 'devices'>): Device | undefined =>
  devices.find(({ _id }) => _id === sim.device && simsIn(_id, sims).includes(sim));

/** In the order in which the service checks it. */
function memberState(sim: Sim, device: Device | undefined): MemberState {
  if (!sim.enabled || device?.enabled === false) return 'disabled';
  if (device?.drainingSince) return 'draining';
  if (device?.connection.state !== 'online') return 'unreachable';
  if (quotasOf(sim).some(({ level }) => level === 'reached')) return 'limits';
  if (sim.health.state === 'open') return 'unhealthy';
  return sim.health.state === 'half-open' ? 'trial' : 'ok';
}

export const canSend = ({ state }: Member): boolean => state === 'ok' || state === 'trial';

const isFaulty = ({ state }: Member): boolean => state === 'unreachable' || state === 'unhealthy';

/** A pool as a whole; `asSet` if it sends nothing because its owner has set it so. */
export function poolState(members: readonly Member[]): 'ok' | 'reduced' | 'asSet' | 'down' {
  if (members.some(canSend)) return members.some(isFaulty) ? 'reduced' : 'ok';
  return members.length === 0 || members.some(isFaulty) ? 'down' : 'asSet';
}

export interface Rule {
  prefix: string;
  sims: string[];
}

/** What the form of a pool holds. */
export interface PoolForm {
  name: string;
  sims: string[];
  strategy: (typeof STRATEGIES)[number];
  isDefault: boolean;
  rules: Rule[];
}

export const toPoolForm = (pool?: Pool): PoolForm => ({
  name: pool?.name ?? '',
  sims: pool?.sims ?? [],
  strategy: pool?.strategy ?? 'sticky',
  isDefault: pool?.isDefault ?? false,
  rules: Object.entries(pool?.countries ?? {}).map(([prefix, sims]) => ({ prefix, sims })),
});

export const toPoolBody = ({ rules, name, ...form }: PoolForm): PoolRequest & PoolPatchRequest => ({
  ...form,
  name: name.trim(),
  countries:
    rules.length > 0 ? Object.fromEntries(rules.map(({ prefix, sims }) => [prefix.trim(), sims])) : null,
});

/** The errors of the API, by the fields of the form. */
export function toFormErrors(
  errors: Readonly<Record<string, string>>,
  { rules }: PoolForm,
): Record<string, string> {
  const place = (field: string): string => {
    if (field.startsWith('sims')) return 'sims';
    const rule = rules.findIndex(({ prefix }) => {
      const at = `countries.${prefix.trim()}`;
      return field === at || field.startsWith(`${at}.`);
    });
    if (rule < 0) return field;
    const isPrefix = field === `countries.${rules[rule]?.prefix.trim() ?? ''}`;
    return `rules.${rule}.${isPrefix ? 'prefix' : 'sims'}`;
  };
  return Object.fromEntries(Object.entries(errors).map(([field, text]) => [place(field), text]));
}
