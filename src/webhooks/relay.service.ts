import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { isDatabaseError } from '../common/persistence/database-outage';
import type { Message } from '../messages/message.schema';
import { OutboxRepository, TakePosition } from '../messages/outbox.repository';
import { LoneRelayService } from './lone-relay.service';
import { MessageRelay, RelayFailure } from './message-relay.service';

/** Messages whose events are relayed together. */
const CHUNK = 200;

/** A relay that has not finished a chunk after this long is dead. */
const TAKEN_FOR_MS = 10_000;

/** Relays the events that wait in messages, many messages together. */
@Injectable()
export class RelayService {
  private readonly logger = new Logger(RelayService.name);
  private isStopping = false;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly messages: MessageRelay,
    private readonly lone: LoneRelayService,
    private readonly clock: Clock,
  ) {}

  /** Relays until no event waits; what is to be relayed alone is handed over to `LoneRelayService`. */
  async relay(): Promise<void> {
    let position: TakePosition | undefined;
    while (!this.isStopping) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + TAKEN_FOR_MS);
      const taken = await this.outbox.take(now, retryAt, CHUNK, position);
      this.lone.add(taken.alone);
      if (taken.messages.length > 0) await this.relayTogether(taken.messages);
      else if (taken.isLast) return;
      position = taken.position;
    }
  }

  /** Begins no further chunk. */
  stop(): void {
    this.isStopping = true;
  }

  private async relayTogether(messages: readonly Message[]): Promise<void> {
    try {
      this.logFailures(await this.messages.relay(messages));
    } catch (failure) {
      if (isDatabaseError(failure)) throw failure;
      await this.relayOneByOne(messages);
    }
  }

  /** One of them is at fault: the others must not wait for it. */
  private async relayOneByOne(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      try {
        this.logFailures(await this.messages.relay([message]));
      } catch (reason) {
        if (isDatabaseError(reason)) throw reason;
        this.logFailures([{ message, reason }]);
      }
    }
  }

  private logFailures(failures: readonly RelayFailure[]): void {
    for (const { message, reason } of failures) {
      this.logger.warn(
        `Events of message ${String(message._id)} could not be relayed and are tried again: ${failureLine(reason)}`,
      );
    }
  }
}
