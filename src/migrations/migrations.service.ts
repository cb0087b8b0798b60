import { Injectable, Logger } from '@nestjs/common';
import { Leases } from '../infrastructure/mongo/leases.service';
import { type Migration, MigrationFailed, MigrationInterrupted } from './migration';
import { MIGRATIONS } from './migrations';
import { MigrationsRepository } from './migrations.repository';

const LEASE_MS = 60_000;

/** The names of the migrations that ran, or `busy` when another process is running them. */
export type MigrationsResult = { readonly ran: readonly string[] } | 'busy';

/**
 * Runs pending migrations in order, in one process at a time. If the process dies, another one runs the migration again
 * after the lease of a minute has expired.
 */
@Injectable()
export class MigrationsService {
  private readonly logger = new Logger('MigrationsService');
  private isStopping = false;

  constructor(
    private readonly repository: MigrationsRepository,
    private readonly leases: Leases,
  ) {}

  async listPending(migrations: readonly Migration[] = MIGRATIONS): Promise<string[]> {
    const finished = new Set((await this.repository.listFinished()).map(({ _id }) => _id));
    return migrations.map(({ name }) => name).filter((name) => !finished.has(name));
  }

  /**
   * Runs all pending migrations.
   * @throws MigrationInterrupted, MigrationFailed; migrations before it stay recorded as finished.
   */
  async run(
    migrations: readonly Migration[] = MIGRATIONS,
    leaseMs: number = LEASE_MS,
  ): Promise<MigrationsResult> {
    if ((await this.listPending(migrations)).length === 0) return { ran: [] };
    const ran = await this.leases.run('migrations', leaseMs, ({ isHeld }) =>
      this.runWithLease(migrations, isHeld),
    );
    return ran ? { ran } : 'busy';
  }

  /** Interrupts a run before its next batch. */
  stop(): void {
    this.isStopping = true;
  }

  private async runWithLease(migrations: readonly Migration[], isHeld: () => boolean): Promise<string[]> {
    // A process without pending migrations does not load it.
    const { Umzug } = await import('umzug');
    const umzug = new Umzug({
      migrations: migrations.map((migration) => ({
        name: migration.name,
        up: () => this.runMigration(migration, isHeld),
      })),
      storage: {
        executed: async () => (await this.repository.listFinished()).map(({ _id }) => _id),
        // `runMigration` records the migration, with its duration.
        logMigration: () => Promise.resolve(),
        unlogMigration: () => Promise.reject(new Error('Migrations are never undone')),
      },
      logger: undefined,
    });
    try {
      return (await umzug.up()).map(({ name }) => name);
    } catch (failure) {
      // Umzug wraps the errors of migrations.
      throw failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
    }
  }

  private async runMigration(migration: Migration, isHeld: () => boolean): Promise<void> {
    const { name } = migration;
    const checkpoint = (): void => {
      if (this.isStopping) throw new MigrationInterrupted(name, 'the process is stopping');
      if (!isHeld()) throw new MigrationInterrupted(name, 'the lease was lost');
    };
    checkpoint();
    this.logger.log(`Running migration ${name}`);
    const startedAt = performance.now();
    await migration.run({ db: this.repository.db, checkpoint }).catch((failure: unknown) => {
      throw failure instanceof MigrationInterrupted ? failure : new MigrationFailed(name, failure);
    });
    const durationMs = Math.round(performance.now() - startedAt);
    await this.repository.recordFinished(name, durationMs);
    this.logger.log(`Migration ${name} finished in ${durationMs} ms`);
  }
}
