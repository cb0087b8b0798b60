import { Injectable } from '@nestjs/common';
import { MemoizedValue } from '../../common/memoized-value';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { PushConfig } from '../../config/sections/push.config';
import type { Role } from '../../config/sections/roles.config';
import { MigrationsService } from '../../migrations/migrations.service';
import { type DatabaseStats, DatabaseStatsService } from '../database-stats.service';
import { type Health, HealthService } from '../health.service';
import { type QueueStats, QueueStatsService } from '../queue-stats.service';
import { ProcessRegistry, type RunningProcess } from './process-registry.service';

/** Bounds the queries, because each page of the dashboard that shows the overview repeats it. */
const CACHE_TTL_MS = 5_000;

/** The state of the installation. Roles, time and push settings are those of the process that answers. */
export interface Overview {
  readonly roles: readonly Role[];
  readonly uptimeSeconds: number;
  /** Of the whole installation; undefined while Redis does not answer. */
  readonly processes: readonly RunningProcess[] | undefined;
  readonly health: Health;
  readonly isFcmConfigured: boolean;
  /** Undefined while Redis does not answer. */
  readonly queues: readonly QueueStats[] | undefined;
  /** Undefined while the database does not answer. */
  readonly stats: DatabaseStats | undefined;
  /** Undefined while the database does not answer. */
  readonly pendingMigrations: readonly string[] | undefined;
}

@Injectable()
export class OverviewService {
  private readonly overview = new MemoizedValue(CACHE_TTL_MS, () => this.collect());

  constructor(
    private readonly health: HealthService,
    private readonly queues: QueueStatsService,
    private readonly database: DatabaseStatsService,
    private readonly migrations: MigrationsService,
    private readonly processes: ProcessRegistry,
    private readonly push: PushConfig,
  ) {}

  /** Cached for five seconds. */
  read(): Promise<Overview> {
    return this.overview.read();
  }

  private async collect(): Promise<Overview> {
    const [processes, health, queues, stats, pendingMigrations] = await Promise.all([
      this.processes.list(),
      this.health.read(),
      this.queues.read(),
      this.database.read(),
      tryWithTimeout(this.migrations.listPending()),
    ]);
    return {
      roles: this.processes.self.roles,
      uptimeSeconds: Math.floor(process.uptime()),
      processes,
      health,
      isFcmConfigured: this.push.serviceAccount !== undefined,
      queues,
      stats,
      pendingMigrations,
    };
  }
}
