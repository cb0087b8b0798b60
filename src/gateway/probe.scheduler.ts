import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Sweep } from '../common/sweep';
import { ProbeService } from './probe.service';

const SWEEP_EVERY_MS = 60_000;
const MOST_AT_ONCE = 5_000;

/** Finds phones that have fallen silent. Safe to run in every process at once. */
@Injectable()
export class ProbeScheduler {
  private readonly sweeping = new Sweep(ProbeScheduler.name);

  constructor(private readonly probes: ProbeService) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.probes.probeSilent(MOST_AT_ONCE);
    });
  }
}
