import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Sweep } from '../../common/sweep';
import { Removals } from '../../common/upkeep/removals.service';
import { RetentionService } from './retention.service';

const LOOK_EVERY_MS = 60_000;

/** Removes messages that are older than they are to be kept. Safe to run in every process at once. */
@Injectable()
export class RetentionScheduler {
  private readonly sweeping = new Sweep(RetentionScheduler.name);

  constructor(
    private readonly removals: Removals,
    private readonly messages: RetentionService,
  ) {}

  @Interval(LOOK_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.removals.run(this.messages));
  }
}
