import { Injectable } from '@nestjs/common';
import { MemoizedValue } from '../../common/memoized-value';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { PushConfig } from '../../config/sections/push.config';
import { MigrationsService } from '../../migrations/migrations.service';
import { type DatabaseStats, DatabaseStatsService } from '../database-stats.service';
import { type Health, HealthService } from '../health.service';
import { type QueueStats, QueueStatsService } from '../queue-stats.service';
import { ProcessRegistry, type RunningProcess } from './process-registry.service';

/** Bounds the queries, because each page of the dashboard that shows the overview repeats it. */
const CACHE_TTL_MS = 5_000;

/** What cannot be read in time is absent. */
export interface InstallationOverview {
  /** The process that answers. */
  readonly self: RunningProcess;
  readonly uptimeSeconds: number;
  readonly processes?: readonly RunningProcess[];
  readonly components: Health;
  readonly isFcmConfigured: boolean;
  readonly queues?: readonly QueueStats[];
  readonly stats?: DatabaseStats;
  readonly pendingMigrations?: readonly string[];
}

/** The state of the installation. Roles, time and push settings are those of the process that answers. */
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
  read(): Promise<InstallationOverview> {
    return this.overview.read();
  }

  private async collect(): Promise<InstallationOverview> {
    const [processes, components, queues, stats, pendingMigrations] = await Promise.all([
      this.processes.list(),
      this.health.read(),
      this.queues.read(),
      this.database.read(),
      tryWithTimeout(this.migrations.listPending()),
    ]);
    return {
      self: this.processes.self,
      uptimeSeconds: Math.floor(process.uptime()),
      processes,
      components,
      isFcmConfigured: this.push.serviceAccount !== undefined,
      queues,
      stats,
      pendingMigrations,
    };
  }
}
