import { Global, Module } from '@nestjs/common';

export abstract class Clock {
  abstract now(): Date;
}

class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
export class ClockModule {}
