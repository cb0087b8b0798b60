import { Module } from '@nestjs/common';
import { MigrationsRepository } from './migrations.repository';
import { MigrationsScheduler } from './migrations.scheduler';
import { Migrations } from './migrations.service';

/** Changes to stored data, for the operator's `migrate` and for jobs that wait for one of them. */
@Module({ providers: [Migrations, MigrationsRepository], exports: [Migrations] })
export class MigrationsModule {}

/** Runs them at the start of processes with the scheduler role. */
@Module({ imports: [MigrationsModule], providers: [MigrationsScheduler] })
export class MigrationsSchedulerModule {}
