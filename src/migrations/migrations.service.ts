import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Umzug } from 'umzug';
import { type Migration, type MigrationContext, MigrationInterrupted } from './migration';
import { MIGRATIONS } from './migrations';
import { MigrationsRepository } from './migrations.repository';

/** How long another process waits for one that died. */
const LEASE_MS = 60_000;

/** @returns `busy` when another process is running them. */
export type MigrationsResult = { readonly ran: readonly string[] } | 'busy';

/**
 * Runs pending migrations in their order, one process at a time. A process that dies loses its lease after a minute, and
 * the next one runs the migration again, which changes what is not yet changed.
 */
@Injectable()
export class Migrations {
  private readonly logger = new Logger('Migrations');
  private isStopping = false;

  constructor(private readonly repository: MigrationsRepository) {}

  /** The names of the migrations that have not run to their end. */
  async pending(migrations: readonly Migration[] = MIGRATIONS): Promise<string[]> {
    const finished = new Set((await this.repository.listFinished()).map(({ _id }) => _id));
    return migrations.map(({ name }) => name).filter((name) => !finished.has(name));
  }

  /** Whether a migration has run to its end, for code that depends on it. */
  isFinished(name: string): Promise<boolean> {
    return this.repository.isFinished(name);
  }

  /**
   * Runs what is pending.
   * @throws MigrationInterrupted, or what made a migration fail; the ones before it are recorded.
   */
  async run(
    migrations: readonly Migration[] = MIGRATIONS,
    leaseMs: number = LEASE_MS,
  ): Promise<MigrationsResult> {
    if ((await this.pending(migrations)).length === 0) return { ran: [] };
    const holder = new Types.ObjectId();
    if (!(await this.repository.takeLease(holder, leaseMs))) return 'busy';
    let isHeld = true;
    const renewal = setInterval(() => {
      this.repository.renewLease(holder, leaseMs).then(
        (renewed) => (isHeld = renewed),
        // Until the database can be asked again, another process may have taken the lease.
        () => (isHeld = false),
      );
    }, leaseMs / 3);
    try {
      return { ran: await this.runHeld(migrations, () => isHeld) };
    } finally {
      clearInterval(renewal);
      await this.repository.releaseLease(holder).catch(() => undefined);
    }
  }

  /** Interrupts a run at its next batch. */
  stop(): void {
    this.isStopping = true;
  }

  private async runHeld(migrations: readonly Migration[], isHeld: () => boolean): Promise<string[]> {
    const context: MigrationContext = {
      db: this.repository.db,
      checkpoint: () => {
        if (this.isStopping) throw new MigrationInterrupted('the process stops');
        if (!isHeld()) throw new MigrationInterrupted('the lease was lost');
      },
    };
    const startedAt = new Map<string, number>();
    const umzug = new Umzug({
      migrations: migrations.map((migration) => ({
        name: migration.name,
        up: async () => {
          context.checkpoint();
          this.logger.log(`Running migration ${migration.name}`);
          startedAt.set(migration.name, performance.now());
          await migration.run(context);
        },
      })),
      storage: {
        executed: async () => (await this.repository.listFinished()).map(({ _id }) => _id),
        logMigration: async ({ name }) => {
          const durationMs = Math.round(performance.now() - (startedAt.get(name) ?? performance.now()));
          await this.repository.recordFinished(name, durationMs);
          this.logger.log(`Migration ${name} finished in ${durationMs} ms`);
        },
        unlogMigration: () => Promise.reject(new Error('Migrations are not undone')),
      },
      logger: undefined,
    });
    try {
      return (await umzug.up()).map(({ name }) => name);
    } catch (failure) {
      // Umzug wraps what a migration throws.
      throw failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
    }
  }
}
