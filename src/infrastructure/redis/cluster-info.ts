import type { Redis } from 'ioredis';

const SLOTS = 16_384;

/** What a node says of its cluster. */
export interface ClusterInfo {
  /** `cluster_state`, for example `ok` or `fail`. */
  readonly state: string;
  /** How many of the 16384 hash slots a node serves. */
  readonly servedSlots: number;
}

/** Reads CLUSTER INFO. @returns undefined if the server is not part of a cluster. */
export async function readClusterInfo(node: Redis): Promise<ClusterInfo | undefined> {
  const info = await node.cluster('INFO').catch((failure: unknown) => {
    if (failure instanceof Error && failure.message.includes('cluster support disabled')) return undefined;
    throw failure;
  });
  if (typeof info !== 'string') return undefined;
  const read = (field: string) => new RegExp(`^cluster_${field}:(\\w+)`, 'm').exec(info)?.[1] ?? '';
  return { state: read('state'), servedSlots: Number(read('slots_ok')) };
}

/**
 * @param nodes what some nodes say; one that was cut off may be wrong.
 * @returns why keys cannot be used, without addresses; undefined while all can.
 */
export function clusterFault(nodes: readonly ClusterInfo[]): string | undefined {
  const [best] = [...nodes].sort((one, other) => other.servedSlots - one.servedSlots);
  if (!best || (best.state === 'ok' && best.servedSlots === SLOTS)) return undefined;
  return `cluster_state is ${best.state}, and ${best.servedSlots} of ${SLOTS} slots are served`;
}
