import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../common/metrics.module';
import type { MessageStatus } from './message-status';

/** Counts the states that messages come to. */
@Injectable()
export class MessageMetrics {
  private readonly messages: Counter<'status'>;

  constructor(registry: Registry) {
    this.messages = new Counter({
      name: `${METRIC_PREFIX}messages_total`,
      help: 'Messages that came to this state: accepted ones as pending, incoming ones as received',
      labelNames: ['status'],
      registers: [registry],
    });
  }

  count(status: MessageStatus, messages = 1): void {
    if (messages > 0) this.messages.inc({ status }, messages);
  }
}
