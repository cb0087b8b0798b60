import {
  BeforeApplicationShutdown,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnModuleDestroy,
} from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { formatError } from '../common/format-error';
import { MigrationFailed, MigrationInterrupted } from './migration';
import { MigrationsService } from './migrations.service';

const RETRY_INTERVAL_MS = 30_000;

/**
 * Runs pending migrations in the background when a scheduler starts, and retries until all have finished, in this process
 * or another. The start does not wait for them, because this version can read documents of the previous one.
 */
@Injectable()
export class MigrationsScheduler
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger('MigrationsService');
  private running?: Promise<void>;
  private isDone = false;
  private isStopping = false;

  constructor(private readonly migrations: MigrationsService) {}

  onApplicationBootstrap(): void {
    void this.runPending();
  }

  /** Joins a run in progress. Never throws. */
  @Interval(RETRY_INTERVAL_MS)
  async runPending(): Promise<void> {
    if (this.isDone || this.isStopping) return;
    this.running ??= this.tryRun().finally(() => (this.running = undefined));
    await this.running;
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    this.migrations.stop();
  }

  /** Waits for the run while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async tryRun(): Promise<void> {
    try {
      // `busy`: retry in case the other process dies.
      this.isDone = (await this.migrations.run()) !== 'busy';
    } catch (failure) {
      if (failure instanceof MigrationInterrupted) this.logger.log(failure.message);
      else if (failure instanceof MigrationFailed) this.logger.error(`${failure.message}; retried in 30 s`);
      else this.logger.error(`Migrations could not run; retried in 30 s: ${formatError(failure)}`);
    }
  }
}
