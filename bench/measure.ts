import { type Side, type Slice, rateOf } from './slice';

/** How often the two sides of a row take turns: the machine is never quite quiet. */
const TURNS = 3;

/** A side is warm after this long; what it does in it counts for nothing but as a guess of its rate. */
const WARM_UP_S = 1.5;
const FIRST_GUESS = 400;

/** More is prepared than a rate measured before would use up. */
const SPARE = 1.5;

export interface Measured {
  readonly service: Slice[];
  readonly limit: Slice[];
}

/**
 * Measures both sides of a row in turns.
 * @param seconds for each side in all.
 * @param around carries out each turn of the service that counts.
 */
export async function measure(
  sides: { service: Side; limit: Side },
  seconds: number,
  around: (turn: () => Promise<Slice>) => Promise<Slice>,
): Promise<Measured> {
  const warmUp = Math.min(WARM_UP_S, seconds);
  const first = {
    limit: await slice(sides.limit, warmUp, FIRST_GUESS),
    service: await slice(sides.service, warmUp, FIRST_GUESS),
  };
  const measured: Measured = { service: [], limit: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const name of ['limit', 'service'] as const) {
      const side = sides[name];
      const rate = rateOf(measured[name].length > 0 ? measured[name] : [first[name]]);
      const units = Math.ceil((rate * seconds) / TURNS);
      const run = () => slice(side, seconds / TURNS, units);
      measured[name].push(await (name === 'service' ? around(run) : run()));
    }
  }
  return measured;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * SPARE));
  return side.run(seconds);
}
