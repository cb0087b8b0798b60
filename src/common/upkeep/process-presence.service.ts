import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { RolesConfig } from '../../config/sections/roles.config';
import { Clock } from '../clock';
import { formatError } from '../format-error';
import { NonOverlappingJob } from '../non-overlapping-job';
import { Rounds } from './rounds.service';
import { RunningProcessesRepository } from './running-processes.repository';

const HEARTBEAT_INTERVAL_MS = 30_000;
const UNRESPONSIVE_AFTER_MS = 120_000;

/** How long a process that stops may take to say so. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/**
 * Knows when a process of the service has stopped without finishing what it was at: its record stays behind and grows
 * old. Whoever finds one makes all rounds due, so that what was left half-done (a count that lacks the message it was
 * for) is mended within minutes and not on the next day. A database that was away for long looks the same, rightly:
 * whatever was being written then may be half-done too.
 */
@Injectable()
export class ProcessPresence implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ProcessPresence.name);
  private readonly beating = new NonOverlappingJob(ProcessPresence.name);
  private readonly id = new Types.ObjectId();

  constructor(
    private readonly processes: RunningProcessesRepository,
    private readonly rounds: Rounds,
    private readonly roles: RolesConfig,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.beat();
  }

  @Interval(HEARTBEAT_INTERVAL_MS)
  beat(): Promise<void> {
    return this.beating.run(async () => {
      // The operator's commands have no role: they serve nobody.
      if (this.roles.roles.length === 0) return;
      const now = this.clock.now();
      await this.processes.markAlive(this.id, now);
      const since = new Date(now.getTime() - UNRESPONSIVE_AFTER_MS);
      if (!(await this.processes.anySilentSince(since))) return;
      this.logger.warn('A process exited uncleanly: all counters are reconciled');
      await this.rounds.hastenAll();
      await this.processes.removeSilentSince(since);
    });
  }

  /** All requests and jobs have ended, and the database is still connected. */
  async onApplicationShutdown(): Promise<void> {
    try {
      await this.processes.remove(this.id, SHUTDOWN_TIMEOUT_MS);
    } catch (failure) {
      this.logger.warn(`This exit will count as unclean: ${formatError(failure)}`);
    }
  }
}
