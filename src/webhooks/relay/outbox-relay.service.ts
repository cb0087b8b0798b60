import { Injectable, Logger } from '@nestjs/common';
import { Clock, latestNow } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { isDatabaseError } from '../../infrastructure/mongo/database-outage';
import type { Message } from '../../messages/message.schema';
import { OutboxRepository, ClaimPosition } from '../../messages/outbox/outbox.repository';
import { IsolatedRelayService } from './isolated-relay.service';
import { EventFanOutService, FanOutFailure } from './event-fan-out.service';

const BATCH_SIZE = 200;

/** A batch that is not relayed within this time is claimed again. */
const LEASE_MS = 10_000;

/** Relays events from the message outboxes to webhook deliveries, in batches. */
@Injectable()
export class OutboxRelayService {
  private readonly logger = new Logger(OutboxRelayService.name);
  private isStopping = false;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly eventFanOut: EventFanOutService,
    private readonly isolatedRelay: IsolatedRelayService,
    private readonly clock: Clock,
  ) {}

  /**
   * Relays what is due. An event that is stored meanwhile has a job of its own. Messages to relay in isolation are passed
   * to `IsolatedRelayService`.
   */
  async relay(): Promise<void> {
    let position: ClaimPosition | undefined;
    while (!this.isStopping) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + LEASE_MS);
      // Another host may have raised the event. It is harmless that retries are as much too early.
      const batch = await this.outbox.claim(latestNow(now), retryAt, BATCH_SIZE, position);
      this.isolatedRelay.add(batch.isolated);
      if (batch.messages.length > 0) await this.relayBatch(batch.messages);
      if (!batch.hasMore) return;
      position = batch.position;
    }
  }

  /** Stops after the current batch. */
  stop(): void {
    this.isStopping = true;
  }

  private async relayBatch(messages: readonly Message[]): Promise<void> {
    try {
      this.logFailures(await this.eventFanOut.fanOut(messages));
    } catch (failure) {
      if (isDatabaseError(failure)) throw failure;
      await this.relayIndividually(messages);
    }
  }

  /** One message causes the error and must not block the others. */
  private async relayIndividually(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      try {
        this.logFailures(await this.eventFanOut.fanOut([message]));
      } catch (reason) {
        if (isDatabaseError(reason)) throw reason;
        this.logFailures([{ message, reason }]);
      }
    }
  }

  private logFailures(failures: readonly FanOutFailure[]): void {
    for (const { message, reason } of failures) {
      this.logger.warn(
        `Relaying the events of message ${String(message._id)} failed and is retried: ${formatError(reason)}`,
      );
    }
  }
}
