import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AttackStage } from './attack';
import { median, percentile } from './loopback-client';
import { MachineLoad } from './machine-load';
import type { ReadOrder, ReadResult } from './tenant-reader';

/**
 * What a tenant at an address of its own noticed: medians of the windows' 99th percentiles, in milliseconds. The windows of
 * the short form have too few reads for that; there it is the 90th.
 */
export interface Slowdown {
  readonly quietMs: number;
  readonly attackedMs: number;
  readonly isHeld: boolean;
  /** As it stands in the table. */
  readonly text: string;
}

/** An attack that is under way. */
export interface RunningAttack {
  /** Ends it. Resolves when nothing of it is left. */
  end(): Promise<void>;
}

const TENANT = '127.0.0.2';
const PATH = '/api/v1/gateway/stats';
const READS_PER_SECOND = 50;

/** A few milliseconds more are the scheduler's, however many times the quiet ones they are. */
const MIN_NOTICED_MS = 10;

/** The bound of the short form where something else keeps the machine busy: then there is no quiet to compare with. */
const MAX_BUSY_MS = 3_000;

/** How long a window is. */
export const windowSeconds = (isShort: boolean): number => (isShort ? 0.7 : 5);

/**
 * Measures the tenant's reads in windows that alternate: without the attack, with it, and so on. While the bound is
 * missed it measures up to twice as many, because something else on the machine may have been at work.
 * @param begin resolves once the attack is under way.
 */
export async function measureSlowdown(
  { apiUrl, apiKey, isShort, say }: Pick<AttackStage, 'apiUrl' | 'apiKey' | 'isShort' | 'say'>,
  maxSlowdown: number,
  begin: () => Promise<RunningAttack>,
): Promise<Slowdown> {
  const pairs = isShort ? 3 : 6;
  const seconds = windowSeconds(isShort);
  const slowest = isShort ? 90 : 99;
  const tenant = fork(join(__dirname, 'tenant-reader.ts'));
  const order: ReadOrder = {
    url: apiUrl,
    apiKey,
    localAddress: TENANT,
    path: PATH,
    seconds,
    perSecond: READS_PER_SECOND,
  };
  const read = async () => {
    const answer = once(tenant, 'message') as Promise<[ReadResult]>;
    tenant.send(order);
    const [{ times, failure }] = await answer;
    if (!times) throw new Error(`The other tenant could not read: ${failure ?? ''}`);
    return percentile(times, slowest / 100);
  };
  const [quiet, attacked]: [number[], number[]] = [[], []];
  const machine = new MachineLoad();
  const bound = () => {
    const usual = Math.max(maxSlowdown * median(quiet), MIN_NOTICED_MS);
    return isShort && machine.isBusy ? Math.max(usual, MAX_BUSY_MS) : usual;
  };
  const isHeld = () => median(attacked) <= bound();
  try {
    // Compiled code and open connections, for the tenant and for the attack.
    await read();
    await (await begin()).end();
    for (let pair = 0; pair < pairs || (!isHeld() && pair < 2 * pairs); pair++) {
      quiet.push(await machine.during(read));
      const attack = await begin();
      try {
        attacked.push(await read());
      } finally {
        await attack.end();
      }
      say(
        `p${slowest} ${quiet.at(-1)?.toFixed(1) ?? ''} ms without, ${attacked.at(-1)?.toFixed(1) ?? ''} ms with the attack`,
      );
    }
  } finally {
    tenant.disconnect();
  }
  const [quietMs, attackedMs] = [median(quiet), median(attacked)];
  const text = `p${slowest} of stats ${quietMs.toFixed(1)} -> ${attackedMs.toFixed(1)} ms${machine.note}`;
  return { quietMs, attackedMs, isHeld: isHeld(), text };
}

/** How a bound on the slowdown stands in the table. */
export const slowdownBound = (maxSlowdown: number): string =>
  `slowest reads within ${maxSlowdown} times (or ${MIN_NOTICED_MS} ms)`;
