import { Module } from '@nestjs/common';
import { PersistenceModule } from '../infrastructure/mongo/persistence.module';
import { BASELINE_CHECK, requireBaseline } from './baseline';
import { MigrationsRepository } from './migrations.repository';
import { MigrationsScheduler } from './migrations.scheduler';
import { MigrationsService } from './migrations.service';

/** Migrations of stored data, for `admin migrate` and for the list of those that are pending. */
@Module({
  imports: [PersistenceModule],
  providers: [MigrationsService, MigrationsRepository],
  exports: [MigrationsService, MigrationsRepository],
})
export class MigrationsModule {}

/** Refuses the databases of builds before the baseline, for the processes of the service. */
@Module({
  imports: [MigrationsModule],
  providers: [
    {
      provide: BASELINE_CHECK,
      inject: [MigrationsRepository],
      useFactory: requireBaseline,
    },
  ],
})
export class BaselineModule {}

/** Runs pending migrations in processes with the scheduler role. */
@Module({
  imports: [MigrationsModule],
  providers: [MigrationsScheduler],
})
export class MigrationsSchedulerModule {}
