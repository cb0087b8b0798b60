import { LANES } from './closed-loop';
import { rateOf, type Side, type Slice } from './slice';

/** How often the two sides of a row take turns: the machine is never quite quiet. */
const TURNS = 3;

/** A side is warm after this long; what it does in it counts for nothing but as a guess of its rate. */
const WARM_UP_S = 2;
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
  const warmUp = Math.min(WARM_UP_S, seconds);
  const rates = {
    limit: rateOf([await slice(sides.limit, warmUp, FIRST_GUESS)]),
    service: rateOf([await slice(sides.service, warmUp, FIRST_GUESS)]),
  };
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

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * SPARE));
  return side.run(seconds, LANES);
}
