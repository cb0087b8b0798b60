import { LANES } from './closed-loop';
import { rateOf, type Side, type Slice } from './slice';

/** Turns of each side, because the load of the machine varies. */
const TURNS = 3;

/** A side is warm when a slice is no faster than the one before, because the JIT compiles step by step. */
const WARM_UP_SLICE_S = 2;
const WARM_SPEEDUP = 1.05;
/** Maximum warm-up time as a multiple of the measured time. */
const MAX_WARM_UP_FACTOR = 3;
const INITIAL_RATE = 400;

/** Prepares more units than the last measured rate needs. */
const PREPARE_FACTOR = 1.5;

export interface Measurement {
  readonly service: readonly Slice[];
  readonly limit: readonly Slice[];
}

/**
 * Measures both sides of a row in turns.
 * @param seconds the total time of each side.
 * @param observe runs each measured turn of the service.
 * @param log receives the result of each pair of turns.
 */
export async function measure(
  sides: { service: Side; limit: Side },
  seconds: number,
  observe: (turn: () => Promise<Slice>) => Promise<Slice>,
  log: (text: string) => void,
): Promise<Measurement> {
  const rates = { limit: await warmUp(sides.limit, seconds), service: await warmUp(sides.service, seconds) };
  const service: Slice[] = [];
  const limit: Slice[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const length = seconds / TURNS;
    limit.push(await slice(sides.limit, length, rates.limit * length));
    service.push(await observe(() => slice(sides.service, length, rates.service * length)));
    rates.limit = rateOf(limit);
    rates.service = rateOf(service);
    const [one, other] = [Math.round(rateOf(service.slice(-1))), Math.round(rateOf(limit.slice(-1)))];
    log(`turn ${turn} of ${TURNS}: ${one} a second, limit ${other}`);
  }
  return { service, limit };
}

/** Runs a side until its rate no longer rises. @returns the rate. */
async function warmUp(side: Side, seconds: number): Promise<number> {
  const sliceSeconds = Math.min(WARM_UP_SLICE_S, seconds);
  let rate = rateOf([await slice(side, sliceSeconds, INITIAL_RATE * sliceSeconds)]);
  for (let elapsed = 2 * sliceSeconds; elapsed < MAX_WARM_UP_FACTOR * seconds; elapsed += sliceSeconds) {
    const next = rateOf([await slice(side, sliceSeconds, rate * sliceSeconds)]);
    if (next < rate * WARM_SPEEDUP) return Math.max(rate, next);
    rate = next;
  }
  return rate;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * PREPARE_FACTOR));
  return side.run(seconds, LANES);
}
