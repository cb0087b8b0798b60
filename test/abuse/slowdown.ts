import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackContext } from './attack';
import { median, percentile } from './loopback-client';
import { MachineLoad } from './machine-load';
import type { ReadRequest, ReadResult } from './tenant-reader';

/**
 * The medians of the 99th percentiles of all windows, in milliseconds. Windows of the short run have too few reads and use
 * the 90th.
 */
export interface Slowdown {
  readonly baselineMs: number;
  readonly attackedMs: number;
  readonly isWithinBound: boolean;
  /** The text for the table. */
  readonly text: string;
}

/** An attack in progress. */
export interface RunningAttack {
  /** Stops the attack and waits until it has ended. */
  stop(): Promise<void>;
}

const TENANT_ADDRESS = '127.0.0.2';
const READ_PATH = '/api/v1/gateway/stats';
const READS_PER_SECOND = 50;

/** Smaller times are noise of the scheduler. */
const MIN_BOUND_MS = 10;

/** The bound of the short run on a slow or busy machine, which the attacker and the service share. */
const BUSY_MACHINE_BOUND_MS = 3_000;

export const windowSeconds = (isShort: boolean): number => (isShort ? 0.7 : 5);

/**
 * Measures reads of another tenant in alternating windows, without and with the attack. While the bound is exceeded, it
 * measures up to twice as many windows, because of other load on the machine.
 * @param startAttack resolves when the attack is in progress.
 */
export async function measureSlowdown(
  { apiUrl, apiKey, isShort, log }: Pick<AttackContext, 'apiUrl' | 'apiKey' | 'isShort' | 'log'>,
  maxSlowdown: number,
  startAttack: () => Promise<RunningAttack>,
): Promise<Slowdown> {
  const pairs = isShort ? 3 : 6;
  const seconds = windowSeconds(isShort);
  const percentileRank = isShort ? 90 : 99;
  const tenant = fork(join(__dirname, 'tenant-reader.ts'));
  const request: ReadRequest = {
    url: apiUrl,
    apiKey,
    localAddress: TENANT_ADDRESS,
    path: READ_PATH,
    seconds,
    perSecond: READS_PER_SECOND,
  };
  const read = async () => {
    const answer = once(tenant, 'message') as Promise<[ReadResult]>;
    tenant.send(request);
    const [{ times, failure }] = await answer;
    if (!times) throw new Error(`A read of the other tenant failed: ${failure ?? ''}`);
    return percentile(times, percentileRank / 100);
  };
  const [baseline, attacked]: [number[], number[]] = [[], []];
  const machine = new MachineLoad();
  const bound = () => {
    const normalBound = Math.max(maxSlowdown * median(baseline), MIN_BOUND_MS);
    return isShort && machine.isBusy ? Math.max(normalBound, BUSY_MACHINE_BOUND_MS) : normalBound;
  };
  const isWithinBound = () => median(attacked) <= bound();
  try {
    // Warm up: compile code and open connections.
    await read();
    await (await startAttack()).stop();
    for (let pair = 0; pair < pairs || (!isWithinBound() && pair < 2 * pairs); pair++) {
      baseline.push(await machine.measureDuring(read));
      const attack = await startAttack();
      try {
        attacked.push(await read());
      } finally {
        await attack.stop();
      }
      log(
        `p${percentileRank} ${baseline.at(-1)?.toFixed(1) ?? ''} ms without, ${attacked.at(-1)?.toFixed(1) ?? ''} ms with the attack`,
      );
    }
  } finally {
    tenant.disconnect();
  }
  const [baselineMs, attackedMs] = [median(baseline), median(attacked)];
  const text = `p${percentileRank} of stats ${baselineMs.toFixed(1)} -> ${attackedMs.toFixed(1)} ms${machine.note}`;
  return { baselineMs, attackedMs, isWithinBound: isWithinBound(), text };
}

/** The bound for the table. */
export const formatBound = (maxSlowdown: number): string =>
  `slowest reads at most ${maxSlowdown} times as slow (or ${MIN_BOUND_MS} ms)`;
