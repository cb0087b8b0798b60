import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { isDatabaseError, isDatabaseOutage } from '../common/persistence/database-outage';
import { MAX_SHARED_ATTEMPTS, OutboxRepository } from '../messages/outbox.repository';
import { OutboxQueue } from '../messages/outbox.queue';
import { MessageRelay } from './message-relay.service';

/** A process that has not finished a message after this long is dead. */
const LEASE_MS = 60_000;

/** Between an attempt that failed and the next. */
const RETRY_MS = 10_000;

/** How often a message that is set aside is tried again. */
const SET_ASIDE_RETRY_MS = 3_600_000;

/** Attempts before a message is set aside, three of them alone. */
const MAX_ATTEMPTS = MAX_SHARED_ATTEMPTS + 3;

/** Messages that are handed over and not begun; the relay finds the others again. */
const MAX_WAITING = 1_000;

/**
 * Relays messages one at a time that are too large to be relayed with others, or that failed with others: whatever they
 * do, it holds up nothing else. One that fails alone three times is set aside, tried again each hour, and shown in the
 * metrics until it is relayed. A failure of the database or of Redis counts against no message.
 */
@Injectable()
export class LoneRelayService {
  private readonly logger = new Logger(LoneRelayService.name);
  private readonly waiting = new Map<string, Types.ObjectId>();
  private running?: Promise<void>;
  private isStopping = false;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly messages: MessageRelay,
    private readonly queue: OutboxQueue,
    private readonly clock: Clock,
  ) {}

  /** Hands messages over. Nobody waits for them. */
  add(ids: readonly Types.ObjectId[]): void {
    if (ids.length === 0) return;
    for (const id of ids) if (this.waiting.size < MAX_WAITING) this.waiting.set(String(id), id);
    void this.run();
  }

  /** Relays what is due, until nothing is; several calls share one run. Never throws. */
  run(): Promise<void> {
    this.running ??= this.relayDue()
      .catch((failure: unknown) => {
        this.logger.error(`Events wait for the sweeper: ${failureLine(failure)}`);
      })
      .finally(() => (this.running = undefined));
    return this.running;
  }

  /** Begins no further message. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.running;
  }

  /** Tries all messages that are set aside at once. @returns how many. */
  async retrySetAside(): Promise<number> {
    const count = await this.outbox.retrySetAside(this.clock.now());
    this.queue.wake();
    return count;
  }

  private async relayDue(): Promise<void> {
    // One whose claim fails would come up again and again.
    const failed = new Set<string>();
    while (!this.isStopping) {
      const id = await this.next(failed);
      if (!id) return;
      try {
        await this.relay(id);
      } catch (failure) {
        if (isDatabaseOutage(failure)) throw failure;
        failed.add(String(id));
        this.logger.error(`Message ${String(id)} could not be claimed: ${failureLine(failure)}`);
      }
    }
  }

  private async next(failed: ReadonlySet<string>): Promise<Types.ObjectId | undefined> {
    for (const [hex, id] of this.waiting) {
      this.waiting.delete(hex);
      if (!failed.has(hex)) return id;
    }
    const due = await this.outbox.listLone(this.clock.now(), failed.size + 1);
    return due.find((id) => !failed.has(String(id)));
  }

  private async relay(id: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    const claim = await this.outbox.claimLone(id, now, after(now, LEASE_MS), after(now, SET_ASIDE_RETRY_MS));
    if (!claim) return;
    if (!claim.isSetAside && claim.attempts > MAX_ATTEMPTS) {
      await this.setAside(id, 'the process died at each attempt');
      return;
    }
    try {
      const message = await this.outbox.read(id);
      const [failure] = message ? await this.messages.relay([message]) : [];
      if (failure) await this.fail(id, claim.attempts, claim.isSetAside, failureLine(failure.reason));
    } catch (failure) {
      if (!isDatabaseError(failure)) {
        await this.fail(id, claim.attempts, claim.isSetAside, failureLine(failure));
        return;
      }
      await this.outbox.retryLone(id, after(this.clock.now(), RETRY_MS), false);
      this.logger.error(`Events of message ${String(id)} are tried again: ${failureLine(failure)}`);
    }
  }

  private async fail(
    id: Types.ObjectId,
    attempts: number,
    isSetAside: boolean,
    reason: string,
  ): Promise<void> {
    if (isSetAside) return;
    if (attempts >= MAX_ATTEMPTS) await this.setAside(id, reason);
    else await this.outbox.retryLone(id, after(this.clock.now(), RETRY_MS), true);
  }

  private async setAside(id: Types.ObjectId, reason: string): Promise<void> {
    const now = this.clock.now();
    await this.outbox.setAside(id, now, after(now, SET_ASIDE_RETRY_MS));
    this.logger.error(
      `Events of message ${String(id)} are set aside and tried again each hour, or with "admin events retry": ${reason}`,
    );
  }
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
