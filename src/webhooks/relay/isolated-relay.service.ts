import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, latestNow } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { isDatabaseError, isDatabaseOutage } from '../../common/database-outage';
import { MAX_BATCHED_ATTEMPTS, type SetAside } from '../../infrastructure/mongo/outbox';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { Message } from '../../messages/message.schema';
import type { OutboxEntry } from '../../messages/message-event';
import { EventFanOutService } from './event-fan-out.service';
import { type EventSource, MessageEvents } from './event-source';
import { HOUR_MS } from '../../common/durations';

/** A document that is not relayed within this time is claimed again. */
const LEASE_MS = 60_000;

const RETRY_DELAY_MS = 10_000;

const SET_ASIDE_RETRY_INTERVAL_MS = HOUR_MS;

/** Attempts before a document is set aside: two in a batch and three in isolation, or all in isolation if it is too large. */
const MAX_ATTEMPTS = MAX_BATCHED_ATTEMPTS + 3;

/** Further documents are dropped; the outbox relay passes them again. */
const MAX_PENDING = 1_000;

/** The events of a document that is set aside. */
export interface SetAsideEvents extends SetAside {
  /** What the document is. */
  readonly kind: string;
}

/**
 * Relays documents one at a time that are too large for a batch or that failed in one, so that they block no others. A
 * document that fails five times, in batches and in isolation, is set aside: it is retried each hour and counted in the
 * metrics until it is relayed. In isolation, failures of the database or Redis do not count.
 */
@Injectable()
export class IsolatedRelayService<Document extends OwnedId = Message, Entry = OutboxEntry> {
  private readonly logger = new Logger(IsolatedRelayService.name);
  private readonly pending = new Map<string, OwnedId>();
  private running?: Promise<void>;
  private isStopping = false;

  constructor(
    @Inject(MessageEvents) private readonly source: EventSource<Document, Entry>,
    private readonly eventFanOut: EventFanOutService,
    private readonly clock: Clock,
  ) {}

  /** Queues documents and returns immediately. */
  add(documents: readonly OwnedId[]): void {
    if (documents.length === 0) return;
    for (const document of documents)
      if (this.pending.size < MAX_PENDING) this.pending.set(String(document._id), document);
    void this.run();
  }

  /** Relays until nothing is due. Concurrent calls share a run. Never throws. */
  run(): Promise<void> {
    this.running ??= this.relayDue()
      .catch((failure: unknown) => {
        this.logger.error(
          `Isolated relay stopped; the scheduler restarts it within 10 s: ${formatError(failure)}`,
        );
      })
      .finally(() => (this.running = undefined));
    return this.running;
  }

  /** Stops after the current document. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.running;
  }

  /** Lists documents that are set aside, the longest first. */
  async listSetAside(limit: number): Promise<SetAsideEvents[]> {
    const found = await this.source.outbox.listSetAside(this.clock.now(), limit);
    return found.map((each) => ({ ...each, kind: this.source.kind }));
  }

  /** Makes all documents that are set aside due now. @returns how many. */
  retrySetAside(): Promise<number> {
    return this.source.outbox.retrySetAside(this.clock.now());
  }

  private async relayDue(): Promise<void> {
    const failed = new Set<string>();
    while (!this.isStopping) {
      const document = await this.next(failed);
      if (!document) return;
      const id = String(document._id);
      try {
        await this.relay(document);
      } catch (failure) {
        if (isDatabaseOutage(failure)) throw failure;
        failed.add(id);
        this.logger.error(
          `Relaying the events of ${this.source.kind} ${id} in isolation failed and is retried: ${formatError(failure)}`,
        );
      }
    }
  }

  private async next(failed: ReadonlySet<string>): Promise<OwnedId | undefined> {
    for (const [id, document] of this.pending) {
      this.pending.delete(id);
      if (!failed.has(id)) return document;
    }
    const due = await this.source.outbox.listIsolated(latestNow(this.clock.now()), failed.size + 1);
    return due.find(({ _id }) => !failed.has(String(_id)));
  }

  private async relay(id: OwnedId): Promise<void> {
    const now = this.clock.now();
    const claim = await this.source.outbox.claimIsolated(
      id,
      latestNow(now),
      after(now, LEASE_MS),
      after(now, SET_ASIDE_RETRY_INTERVAL_MS),
    );
    if (!claim) return;
    if (!claim.isSetAside && claim.attempts > MAX_ATTEMPTS) {
      await this.setAside(id, 'the process died during each attempt');
      return;
    }
    try {
      const document = await this.source.outbox.findBounded(id);
      const [failure] = document ? await this.eventFanOut.fanOut(this.source, [document]) : [];
      if (failure) await this.fail(id, claim.attempts, claim.isSetAside, formatError(failure.reason));
    } catch (failure) {
      if (!isDatabaseError(failure)) {
        await this.fail(id, claim.attempts, claim.isSetAside, formatError(failure));
        return;
      }
      await this.source.outbox.retryUncounted(id, after(this.clock.now(), RETRY_DELAY_MS));
      this.logger.error(
        `Relaying the events of ${this.source.kind} ${String(id._id)} failed and is retried: ${formatError(failure)}`,
      );
    }
  }

  private async fail(id: OwnedId, attempts: number, isSetAside: boolean, reason: string): Promise<void> {
    if (isSetAside) return;
    if (attempts >= MAX_ATTEMPTS) await this.setAside(id, reason);
    else await this.source.outbox.retryIsolated(id, after(this.clock.now(), RETRY_DELAY_MS));
  }

  private async setAside(id: OwnedId, reason: string): Promise<void> {
    const now = this.clock.now();
    await this.source.outbox.setAside(id, now, after(now, SET_ASIDE_RETRY_INTERVAL_MS));
    this.logger.error(
      `Events of ${this.source.kind} ${String(id._id)} are set aside. They are retried each hour, or with "admin events retry": ${reason}`,
    );
  }
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
