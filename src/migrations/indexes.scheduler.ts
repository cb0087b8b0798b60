import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { formatError } from '../common/format-error';
import { Indexes } from '../infrastructure/mongo/indexes.service';
import { HOUR_MS } from '../common/durations';

const DROP_INTERVAL_MS = HOUR_MS;

/** Drops indexes that no process declares any more, at the start and every hour. */
@Injectable()
export class IndexesScheduler implements OnApplicationBootstrap {
  private readonly logger = new Logger('Indexes');

  constructor(private readonly indexes: Indexes) {}

  onApplicationBootstrap(): void {
    void this.dropUnused();
  }

  /** Never throws: the next run tries again. */
  @Interval(DROP_INTERVAL_MS)
  async dropUnused(): Promise<void> {
    await this.indexes.dropUnused().catch((failure: unknown) => {
      this.logger.warn(`Unused indexes were not dropped: ${formatError(failure)}`);
    });
  }
}
