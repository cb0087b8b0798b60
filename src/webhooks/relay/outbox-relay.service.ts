import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, latestNow } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { isDatabaseError } from '../../common/database-outage';
import type { ClaimPosition } from '../../infrastructure/mongo/outbox';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { Message } from '../../messages/message.schema';
import type { OutboxEntry } from '../../messages/message-event';
import { IsolatedRelayService } from './isolated-relay.service';
import { EventFanOutService, FanOutFailure } from './event-fan-out.service';
import { type EventSource, MessageEvents } from './event-source';

const BATCH_SIZE = 200;

/** A batch that is not relayed within this time is claimed again. */
const LEASE_MS = 10_000;

/** Relays events from outboxes to webhook deliveries, in batches; by default those of messages. */
@Injectable()
export class OutboxRelayService<Document extends OwnedId = Message, Entry = OutboxEntry> {
  private readonly logger = new Logger(OutboxRelayService.name);
  private isStopping = false;

  constructor(
    @Inject(MessageEvents) private readonly source: EventSource<Document, Entry>,
    private readonly eventFanOut: EventFanOutService,
    private readonly isolatedRelay: IsolatedRelayService<Document, Entry>,
    private readonly clock: Clock,
  ) {}

  /**
   * Relays what is due; an event of a message that is stored meanwhile has a job of its own. Documents to relay in isolation
   * are passed to `IsolatedRelayService`.
   */
  async relay(): Promise<void> {
    let position: ClaimPosition | undefined;
    while (!this.isStopping) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + LEASE_MS);
      // The clock of the host that raised an event may be ahead; retries may be early by as much, which does no harm.
      const batch = await this.source.outbox.claim(latestNow(now), retryAt, BATCH_SIZE, position);
      this.isolatedRelay.add(batch.isolated);
      if (batch.documents.length > 0) await this.relayBatch(batch.documents);
      if (!batch.hasMore) return;
      position = batch.position;
    }
  }

  /** Stops after the current batch. */
  stop(): void {
    this.isStopping = true;
  }

  private async relayBatch(documents: readonly Document[]): Promise<void> {
    try {
      this.logFailures(await this.eventFanOut.fanOut(this.source, documents));
    } catch (failure) {
      if (isDatabaseError(failure)) throw failure;
      await this.relayIndividually(documents);
    }
  }

  /** One document causes the error and must not block the others. */
  private async relayIndividually(documents: readonly Document[]): Promise<void> {
    for (const document of documents) {
      try {
        this.logFailures(await this.eventFanOut.fanOut(this.source, [document]));
      } catch (reason) {
        if (isDatabaseError(reason)) throw reason;
        this.logFailures([{ id: document._id, reason }]);
      }
    }
  }

  private logFailures(failures: readonly FanOutFailure[]): void {
    for (const { id, reason } of failures) {
      this.logger.warn(
        `Relaying the events of ${this.source.kind} ${String(id)} failed and is retried: ${formatError(reason)}`,
      );
    }
  }
}
