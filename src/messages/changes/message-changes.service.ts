import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { LiveHints } from '../../infrastructure/live/live-hints';
import type { Batch } from '../batch.schema';
import { ConversationProjector } from '../conversations/conversation-projector.service';
import type { Message } from '../message.schema';
import type { MessageStatus } from '../message-status';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../../infrastructure/metrics/metrics.module';

/** Records that messages have changed: in the metrics, in their conversations, and as hints to those who watch their accounts. */
@Injectable()
export class MessageChanges {
  private readonly messages: Counter<'status'>;

  constructor(
    private readonly hints: LiveHints,
    private readonly conversations: ConversationProjector,
    registry: Registry,
  ) {
    this.messages = new Counter({
      name: `${METRIC_PREFIX}messages_total`,
      help: 'Messages that reached this status: pending when accepted, received when incoming; dispatched counts each hand-over',
      labelNames: ['status'],
      registers: [registry],
    });
  }

  /** Call it after the batch is stored. Never throws. */
  recordAccepted(batch: Batch): void {
    this.record('pending', batch.recipientCount, batch);
    this.hints.publish(batch, 'batch', [batch._id]);
    this.conversations.addBatch(batch);
  }

  /** Call it after the message is stored. Never throws. */
  recordReceived(account: Pick<Message, 'user'>, id: Types.ObjectId): void {
    this.record('received', 1, account, [id]);
    this.conversations.addReceived({ _id: id, user: account.user });
  }

  /**
   * Call it after the change is stored. Never throws.
   * @param count how many have reached the status.
   * @param ids of those that may have changed; absent: unknown, or many.
   */
  record(
    status: MessageStatus,
    count: number,
    account: Pick<Message, 'user'>,
    ids?: readonly Types.ObjectId[],
  ): void {
    if (count > 0) this.messages.inc({ status }, count);
    this.hints.publish(account, 'message', ids);
  }

  /** The same for messages of any accounts. */
  recordAll(status: MessageStatus, count: number, messages: readonly Pick<Message, '_id' | 'user'>[]): void {
    if (count > 0) this.messages.inc({ status }, count);
    this.hints.publishAll('message', messages);
  }
}
