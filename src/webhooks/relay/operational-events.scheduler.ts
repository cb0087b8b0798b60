import { BeforeApplicationShutdown, Injectable, OnModuleDestroy } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { OperationalRelayService } from './operational-relay.service';

/** Schedules the relay of operational events. Safe to run in several processes. */
@Injectable()
export class OperationalEventsScheduler implements OnModuleDestroy, BeforeApplicationShutdown {
  constructor(private readonly relay: OperationalRelayService) {}

  @Sweep(5 * SECOND_MS)
  sweep(): Promise<void> {
    return this.relay.relay();
  }

  onModuleDestroy(): void {
    void this.relay.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.relay.stop();
  }
}
