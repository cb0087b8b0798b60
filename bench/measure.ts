import { LANES } from './closed-loop';
import { rateOf, type Side, type Slice } from './slice';

/** How often the two sides of a row take turns: the machine is never quite quiet. */
const TURNS = 3;

/** A side is warm once such a stretch is no faster than the one before: Node compiles what it sees often, bit by bit. */
const STRETCH_S = 2;
const FASTER = 1.05;
/** It warms up for no longer than this, in times what it is measured. */
const MAX_WARM_UP = 3;
const FIRST_GUESS = 400;

/** More is prepared than a rate measured before would use up. */
const SPARE = 1.5;

/** The turns of both sides of a row. */
export interface Measured {
  readonly service: readonly Slice[];
  readonly limit: readonly Slice[];
}

/**
 * Measures both sides of a row in turns.
 * @param seconds for each side in all.
 * @param around carries out each turn of the service that counts.
 * @param onTurn told what each pair of turns came to.
 */
export async function measure(
  sides: { service: Side; limit: Side },
  seconds: number,
  around: (turn: () => Promise<Slice>) => Promise<Slice>,
  onTurn: (text: string) => void,
): Promise<Measured> {
  const rates = { limit: await warmUp(sides.limit, seconds), service: await warmUp(sides.service, seconds) };
  const service: Slice[] = [];
  const limit: Slice[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const length = seconds / TURNS;
    limit.push(await slice(sides.limit, length, rates.limit * length));
    service.push(await around(() => slice(sides.service, length, rates.service * length)));
    rates.limit = rateOf(limit);
    rates.service = rateOf(service);
    const [one, other] = [Math.round(rateOf(service.slice(-1))), Math.round(rateOf(limit.slice(-1)))];
    onTurn(`turn ${turn} of ${TURNS}: ${one} a second, the limit ${other}`);
  }
  return { service, limit };
}

/** @returns the rate once it no longer rises. */
async function warmUp(side: Side, seconds: number): Promise<number> {
  const stretch = Math.min(STRETCH_S, seconds);
  let rate = rateOf([await slice(side, stretch, FIRST_GUESS * stretch)]);
  for (let warmed = 2 * stretch; warmed < MAX_WARM_UP * seconds; warmed += stretch) {
    const next = rateOf([await slice(side, stretch, rate * stretch)]);
    if (next < rate * FASTER) return Math.max(rate, next);
    rate = next;
  }
  return rate;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * SPARE));
  return side.run(seconds, LANES);
}
