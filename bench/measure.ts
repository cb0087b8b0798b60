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

/** A side, and the rate and the turns that were measured so far. */
class MeasuredSide {
  readonly slices: Slice[] = [];
  private rate = 0;

  constructor(
    private readonly side: Side,
    private readonly seconds: number,
  ) {}

  async warmUp(): Promise<void> {
    this.rate = await warmUp(this.side, this.seconds);
  }

  async runTurn(): Promise<void> {
    const length = this.seconds / TURNS;
    this.slices.push(await slice(this.side, length, this.rate * length));
    this.rate = rateOf(this.slices);
  }

  get latestRate(): number {
    return Math.round(rateOf(this.slices.slice(-1)));
  }
}

/**
 * Measures all sides of a row in turns; every other turn has the services in reverse order.
 * @param services the builds that are compared.
 * @param seconds the total time of each side.
 * @param log receives the result of each turn.
 * @returns the turns of each service, with the turns of the limit, which are the same for all.
 */
export async function measure(
  { services, limit }: { services: readonly Side[]; limit: Side },
  seconds: number,
  log: (text: string) => void,
): Promise<Measurement[]> {
  const ofLimit = new MeasuredSide(limit, seconds);
  const ofServices = services.map((side) => new MeasuredSide(side, seconds));
  for (const side of [ofLimit, ...ofServices]) await side.warmUp();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await ofLimit.runTurn();
    for (const side of turn % 2 === 0 ? [...ofServices].reverse() : ofServices) await side.runTurn();
    const rates = ofServices.map(({ latestRate }) => latestRate).join(' and ');
    log(`turn ${turn} of ${TURNS}: ${rates} a second, limit ${ofLimit.latestRate}`);
  }
  return ofServices.map(({ slices }) => ({ service: slices, limit: ofLimit.slices }));
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
