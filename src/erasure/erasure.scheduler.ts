import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Sweep } from '../common/sweep';
import { ErasureService } from './erasure.service';

const SWEEP_EVERY_MS = 60_000;

/** Goes on with erasures. Safe to run in every process at once. */
@Injectable()
export class ErasureScheduler {
  private readonly sweeping = new Sweep(ErasureScheduler.name);

  constructor(private readonly erasures: ErasureService) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.erasures.resume());
  }
}
