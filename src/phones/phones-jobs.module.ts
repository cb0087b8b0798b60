import { Module } from '@nestjs/common';
import { PhonesModule } from './phones.module';
import { PhonesScheduler } from './phones.scheduler';

/** Runs scheduled jobs: for processes with the scheduler role. */
@Module({ imports: [PhonesModule], providers: [PhonesScheduler] })
export class PhonesSchedulerModule {}
