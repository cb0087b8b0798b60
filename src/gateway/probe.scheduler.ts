import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { ProbeService } from './probe.service';

const SWEEP_EVERY_MS = 60_000;
const MOST_AT_ONCE = 5_000;

/** Finds phones that have fallen silent. Safe to run in every process at once. */
@Injectable()
export class ProbeScheduler {
  private readonly logger = new Logger(ProbeScheduler.name);
  private sweeping = false;

  constructor(private readonly probes: ProbeService) {}

  @Interval(SWEEP_EVERY_MS)
  async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      await this.probes.probeSilent(MOST_AT_ONCE);
    } catch (failure) {
      this.logger.error(
        `Silent phones could not be probed; it is repeated in ${SWEEP_EVERY_MS / 1_000} s: ${String(failure)}`,
      );
    } finally {
      this.sweeping = false;
    }
  }
}
