import { Module } from '@nestjs/common';
import { PersistenceModule } from '../infrastructure/mongo/persistence.module';
import { IndexesScheduler } from './indexes.scheduler';
import { MigrationsRepository } from './migrations.repository';
import { MigrationsScheduler } from './migrations.scheduler';
import { MigrationsService } from './migrations.service';

/** Migrations of stored data, for `admin migrate` and for jobs that depend on one. */
@Module({
  imports: [PersistenceModule],
  providers: [MigrationsService, MigrationsRepository],
  exports: [MigrationsService],
})
export class MigrationsModule {}

/** Runs pending migrations and drops unused indexes in processes with the scheduler role. */
@Module({
  imports: [MigrationsModule, PersistenceModule],
  providers: [MigrationsScheduler, IndexesScheduler],
})
export class MigrationsSchedulerModule {}
