import { BeforeApplicationShutdown, Injectable, OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../common/non-overlapping-job';
import { OperationalRelayService } from './relay/operational-relay.service';

const SWEEP_INTERVAL_MS = 5_000;

/** Schedules the relay of operational events. Safe to run in several processes. */
@Injectable()
export class OperationalEventsScheduler implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly sweeping = new NonOverlappingJob(OperationalEventsScheduler.name);

  constructor(private readonly relay: OperationalRelayService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.relay.relay());
  }

  onModuleDestroy(): void {
    void this.relay.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.relay.stop();
  }
}
