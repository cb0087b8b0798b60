import { LANES } from './closed-loop';
import { rateOf, type Side, type Slice } from './slice';

/** How often the two sides of a row take turns: the machine is never quite quiet. */
const TURNS = 3;

/** A side is warm once such a stretch is no faster than the one before: Node compiles what it sees often, bit by bit. */
const STRETCH_S = 2;
const MOST_STRETCHES = 6;
const FASTER = 1.05;
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
  const stretch = Math.min(STRETCH_S, seconds);
  const rates = { limit: await warmUp(sides.limit, stretch), service: await warmUp(sides.service, stretch) };
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
  let rate = rateOf([await slice(side, seconds, FIRST_GUESS * seconds)]);
  for (let stretches = 1; stretches < MOST_STRETCHES; stretches += 1) {
    const next = rateOf([await slice(side, seconds, rate * seconds)]);
    if (next < rate * FASTER) return Math.max(rate, next);
    rate = next;
  }
  return rate;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * SPARE));
  return side.run(seconds, LANES);
}
