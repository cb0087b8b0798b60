import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { LiveHints } from '../infrastructure/live/live-hints';
import type { Message } from './message.schema';
import { MessageMetrics } from './message.metrics';
import type { MessageStatus } from './message-status';

/** Records that messages have changed: in the metrics, and as hints to those who watch their accounts. */
@Injectable()
export class MessageChanges {
  constructor(
    private readonly metrics: MessageMetrics,
    private readonly hints: LiveHints,
  ) {}

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
    this.metrics.count(status, count);
    this.hints.publish(account, 'message', ids);
  }

  /** The same for messages of any accounts. */
  recordAll(status: MessageStatus, count: number, messages: readonly Pick<Message, '_id' | 'user'>[]): void {
    this.metrics.count(status, count);
    this.hints.publishAll('message', messages);
  }
}
