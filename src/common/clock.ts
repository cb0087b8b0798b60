import { Global, Module } from '@nestjs/common';

/** How much the clocks of hosts may differ (docs/operate/operations.md). */
const MAX_CLOCK_SKEW_MS = 1_000;

export abstract class Clock {
  abstract now(): Date;
}

/** The latest time that it may be now on another host. */
export function latestNow(now: Date): Date {
  return new Date(now.getTime() + MAX_CLOCK_SKEW_MS);
}

class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
export class ClockModule {}
