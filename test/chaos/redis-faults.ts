import { until } from 'messaging-gateway-local-stack/processes';

const RECOVERY_MS = 60_000;

/** Faults of a Redis of several nodes. Each kind of such a Redis has some of them. */
export const REDIS_FAULTS = [
  'Redis master',
  'Redis master, frozen for a while',
  'Redis failover',
  'Redis slots moved',
] as const;
export type RedisFault = (typeof REDIS_FAULTS)[number];

export const isRedisFault = (name: string): name is RedisFault =>
  REDIS_FAULTS.some((fault) => fault === name);

/** The Redis of a run that has several nodes, and its faults. */
export interface RedisFaults {
  /** The settings of the service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly faults: readonly RedisFault[];
  /** Resolves when all nodes work again. @throws Error if they do not recover. */
  inject(fault: RedisFault, downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error if the nodes do not work again after a fault. */
export async function untilRecovered(
  fault: RedisFault,
  isWhole: () => boolean | Promise<boolean>,
): Promise<void> {
  if (!(await until(isWhole, RECOVERY_MS))) throw new Error(`Redis did not recover from: ${fault}`);
}
