import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import {
  answerTimeoutMs,
  lastAnswerOf,
  nextConnectionChangeAt,
  unansweredSinceOf,
} from '../../devices/connection/connection';
import { type ConnectedDevice, ConnectionsRepository } from '../../devices/connection/connections.repository';
import { DispatchRepository } from '../dispatch/dispatch.repository';

const BATCH_SIZE = 100;

/** A check that does not end within this time is repeated. Longer than any time at which a check is requested. */
const LEASE_MS = 60_000;

const MAX_CHECK_INTERVAL_MS = DAY_MS;

/** Notices phones that do not answer. Safe to run in several processes. */
@Injectable()
export class ConnectionCheckService {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly messages: DispatchRepository,
    private readonly clock: Clock,
  ) {}

  /** Checks the connections that are due. @param limit maximum number of devices. */
  async checkDue(limit: number): Promise<void> {
    for (let checked = 0; checked < limit; checked += BATCH_SIZE) {
      const now = this.clock.now();
      const due = await this.connections.claimCheckDue(now, after(now, LEASE_MS), BATCH_SIZE);
      await Promise.all(due.map((device) => this.check(device, now)));
      if (due.length < BATCH_SIZE) return;
    }
  }

  private async check(device: ConnectedDevice, now: Date): Promise<void> {
    const handedOverAt =
      unansweredSinceOf(device) ?? (await this.messages.findOldestHandOver(device._id, lastAnswerOf(device)));
    const answerDueAt = handedOverAt && after(handedOverAt, answerTimeoutMs(device));
    const isUnanswered = answerDueAt !== undefined && answerDueAt <= now;
    const times = [
      after(now, MAX_CHECK_INTERVAL_MS),
      ...(answerDueAt && !isUnanswered ? [answerDueAt] : []),
      nextConnectionChangeAt(device, now) ?? [],
    ].flat();
    await this.connections.endCheck(device, {
      nextCheckAt: new Date(Math.min(...times.map(Number))),
      ...(isUnanswered && { unansweredSince: handedOverAt }),
    });
  }
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
