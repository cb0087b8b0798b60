import type { ApiClient } from './api-client';
import type { PhoneSet } from './phone-set';

/** What a send names: a phone, or a pool. */
export interface SendTarget {
  readonly device?: string;
  readonly poolId?: string;
  /** The phones of the pool. */
  readonly pool?: readonly string[];
}

export type PhonePool = Required<Omit<SendTarget, 'device'>>;

/** The pools of a run, with the indexes of their phones. */
export const POOLS = [
  { name: 'Streams', strategy: 'sticky', phones: [0, 1, 2] },
  { name: 'Streams and FCM', strategy: 'round-robin', phones: [4, 8, 9, 10, 11] },
  // So few that some messages are left without a phone, and fail.
  { name: 'FCM', strategy: 'least-loaded', phones: [10, 11] },
] as const;

/** Creates the pools, of the SIM of each phone. */
export async function createPools(api: ApiClient, baseUrl: string, phones: PhoneSet): Promise<PhonePool[]> {
  const sims = await api.data<{ _id: string; device: string }[]>(baseUrl, {
    method: 'GET',
    path: 'gateway/sims',
  });
  const pools: PhonePool[] = [];
  for (const { name, strategy, phones: indexes } of POOLS) {
    const pool = indexes.flatMap((index) => phones.at(index)?.device ?? []);
    const body = {
      name,
      strategy,
      sims: sims.filter(({ device }) => pool.includes(device)).map(({ _id }) => _id),
    };
    const { _id } = await api.data<{ _id: string }>(baseUrl, { method: 'POST', path: 'gateway/pools', body });
    pools.push({ poolId: _id, pool });
  }
  return pools;
}
