import type { Build } from '../builds';
import { LifecycleBench } from '../lifecycle/lifecycle-bench';
import type { LifecycleFigures } from '../lifecycle/lifecycle-figures';
import { PhonesBench } from '../phones/phones-bench';
import type { Workbench } from '../workbench';
import type { MeasuredCosts, MessageCosts } from './capacity';

const SECONDS = 20;
const STREAMS = 1_000;

/** Measures what messages and phones cost on this machine. */
export class CapacityBench {
  constructor(
    private readonly rates: readonly number[],
    private readonly build: Build,
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  async run(): Promise<MeasuredCosts> {
    const { workbench, rates, log } = this;
    const options = { seconds: SECONDS, rates, turns: 1 };
    const lives = await new LifecycleBench(options, [this.build], workbench, log).run();
    const kilobytesPerStream = await new PhonesBench(STREAMS, this.build, workbench, log).runMemory();
    const last = lives.at(-1);
    if (!last) throw new Error('No rate was measured');
    return { messages: lives.map(costsOf), ...last.bytes, kilobytesPerStream };
  }
}

function costsOf({ rate, cpuMs }: LifecycleFigures): MessageCosts {
  const of = (name: string) =>
    Object.entries(cpuMs)
      .filter(([process]) => process.startsWith(name))
      .reduce((sum, [, ms]) => sum + ms, 0);
  return {
    rate,
    apiCpuMs: of('api'),
    workerCpuMs: of('worker'),
    schedulerCpuMs: of('scheduler'),
    databaseCpuMs: of('database'),
  };
}
