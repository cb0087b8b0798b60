import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { HOUR_MS } from '../../common/durations';
import {
  answerTimeoutMs,
  connectionOf,
  lastAnswerOf,
  nextConnectionChangeAt,
  unansweredSinceOf,
} from '../../devices/connection/connection';
import { connectionEvent, transitionOf } from '../../devices/connection/connection-transition';
import { type ConnectedDevice, ConnectionsRepository } from '../../devices/connection/connections.repository';
import { UnconfirmedMessagesRepository } from '../unconfirmed/unconfirmed-messages.repository';

const BATCH_SIZE = 100;

/** A check that does not end within this time is repeated. A check that a call or hand-over requests is due sooner. */
const LEASE_MS = 60_000;

const MAX_CHECK_INTERVAL_MS = HOUR_MS;

const MAX_PENDING_COUNT = 1_000;

/** Notices phones that do not answer, and raises the events of connections. Safe to run in several processes. */
@Injectable()
export class ConnectionCheckService {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly messages: UnconfirmedMessagesRepository,
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
    const checked = isUnanswered ? { ...device, unansweredSince: handedOverAt } : device;
    const connection = connectionOf(checked, now);
    const { state, event, dueAt } = transitionOf(device.announcedState, connection, now);
    const times = [
      after(now, MAX_CHECK_INTERVAL_MS),
      isUnanswered ? [] : (answerDueAt ?? []),
      nextConnectionChangeAt(checked, now) ?? [],
      dueAt ?? [],
      // The phone may have called since the device was read.
      event ? after(now, LEASE_MS) : [],
    ].flat();
    const pendingCount = event ? await this.messages.countUnacknowledged(device._id, MAX_PENDING_COUNT) : 0;
    await this.connections.endCheck(device, {
      nextCheckAt: new Date(Math.min(...times.map(Number))),
      announcedState: state,
      ...(isUnanswered && { unansweredSince: handedOverAt }),
      ...(event && { event: connectionEvent(event, device, connection, pendingCount, now) }),
    });
  }
}

const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
