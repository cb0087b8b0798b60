import { Injectable } from '@nestjs/common';
import { MemoizedValue } from '../../common/memoized-value';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { API_VERSION, VERSION } from '../../common/version';
import { PushConfig } from '../../config/sections/push.config';
import { MigrationsService } from '../../migrations/migrations.service';
import { DatabaseStatsService } from '../database-stats.service';
import { HealthService } from '../health.service';
import { QueueStatsService } from '../queue-stats.service';
import type { InstallationOverviewResponse } from './overview.response';
import { ProcessRegistry } from './process-registry.service';

/** Bounds the queries, because each page of the dashboard that shows the overview repeats it. */
const CACHE_TTL_MS = 5_000;

type Overview = Readonly<InstallationOverviewResponse>;

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
  read(): Promise<Overview> {
    return this.overview.read();
  }

  private async collect(): Promise<Overview> {
    const [processes, components, queues, stats, pendingMigrations] = await Promise.all([
      this.processes.list(),
      this.health.read(),
      this.queues.read(),
      this.database.read(),
      tryWithTimeout(this.migrations.listPending()),
    ]);
    const { roles, nodeVersion } = this.processes.self;
    return {
      version: VERSION,
      apiVersion: API_VERSION,
      process: { roles, uptimeSeconds: Math.floor(process.uptime()), nodeVersion },
      processes,
      components,
      fcmConfigured: this.push.serviceAccount !== undefined,
      queues: queues?.map(({ queue, jobs, oldestMs }) => ({ name: queue, ...jobs, oldestMs })),
      stats: stats && {
        pendingMessages: stats.messages.pending,
        dispatchedMessages: stats.messages.dispatched,
        dispatchOverdueMs: stats.overdueMs.dispatch,
        relayOverdueMs: stats.overdueMs.relay,
        setAsideEvents: stats.setAsideEvents,
        devices: stats.devices,
        connections: stats.connections,
      },
      pendingMigrations,
    };
  }
}
