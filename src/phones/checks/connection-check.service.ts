import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
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
import { Activity } from '../../infrastructure/sweeps/activity.service';
import { type ConnectedDevice, ConnectionsRepository } from '../../devices/connection/connections.repository';
import { capabilitiesOf } from '../../devices/store/phone-capabilities';
import { UnconfirmedMessagesRepository } from './unconfirmed-messages.repository';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';

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
    private readonly waiting: WaitingMessagesRepository,
    private readonly activity: Activity,
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

  isDueBefore(time: Date): Promise<boolean> {
    return this.connections.isCheckDue(time);
  }

  private async check(device: ConnectedDevice, now: Date): Promise<void> {
    const handedOverAt =
      unansweredSinceOf(device) ??
      (await this.messages.findOldestHandOver(accountScope(device.user), device._id, lastAnswerOf(device))) ??
      (await this.findUnfetched(device));
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
    const pendingCount = event ? await this.countPending(device) : 0;
    await this.connections.endCheck(device, {
      nextCheckAt: new Date(Math.min(...times.map(Number))),
      announcedState: state,
      ...(isUnanswered && { unansweredSince: handedOverAt }),
      ...(event && { event: connectionEvent(event, device, connection, pendingCount, now) }),
    });
    // Otherwise the sweep that relays the event rests.
    if (event) this.activity.record();
  }

  /** Since when messages wait for a phone that fetches, and has not called since. */
  private async findUnfetched(device: ConnectedDevice): Promise<Date | undefined> {
    if (!capabilitiesOf(device).fetches || device.usesOwnPush) return undefined;
    const since = await this.waiting.findOldestWaitingForPhone(device);
    return since && (!device.lastContactAt || since > device.lastContactAt) ? since : undefined;
  }

  /** The messages that the phone has, or that wait for it. */
  private async countPending(device: ConnectedDevice): Promise<number> {
    const counts = await Promise.all([
      this.messages.countUnacknowledged(accountScope(device.user), device._id, MAX_PENDING_COUNT),
      this.waiting.countWaitingForPhone(device, MAX_PENDING_COUNT),
    ]);
    return Math.min(MAX_PENDING_COUNT, counts[0] + counts[1]);
  }
}

const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
