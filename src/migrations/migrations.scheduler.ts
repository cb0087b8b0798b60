import {
  BeforeApplicationShutdown,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnModuleDestroy,
} from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { failureLine } from '../common/failure-line';
import { MigrationInterrupted } from './migration';
import { Migrations } from './migrations.service';

const RETRY_EVERY_MS = 30_000;

/**
 * Runs pending migrations when a scheduler starts, beside the service: the start does not wait, since this version reads
 * documents of the version before. It tries again until all have run, in this process or in another.
 */
@Injectable()
export class MigrationsScheduler
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger('Migrations');
  private running?: Promise<void>;
  private isDone = false;

  constructor(private readonly migrations: Migrations) {}

  onApplicationBootstrap(): void {
    void this.runPending();
  }

  /** Again it is the same run. Never throws. */
  @Interval(RETRY_EVERY_MS)
  async runPending(): Promise<void> {
    if (this.isDone) return;
    this.running ??= this.attempt().finally(() => (this.running = undefined));
    await this.running;
  }

  onModuleDestroy(): void {
    this.isDone = true;
    this.migrations.stop();
  }

  /** The database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async attempt(): Promise<void> {
    try {
      // Another process that runs them may die: then it is this one's turn.
      this.isDone ||= (await this.migrations.run()) !== 'busy';
    } catch (failure) {
      if (failure instanceof MigrationInterrupted) this.logger.log(failure.message);
      else this.logger.error(`A migration failed and is retried in 30 s: ${failureLine(failure)}`);
    }
  }
}
