import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../common/durations';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { ErasureService } from './erasure.service';

/** Resumes erasures. Safe to run in several processes at the same time. */
@Injectable()
export class ErasureScheduler {
  constructor(private readonly erasures: ErasureService) {}

  @Sweep(MINUTE_MS)
  sweep(): Promise<void> {
    return this.erasures.resume();
  }
}
