import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { METRIC_PREFIX } from '../infrastructure/metrics/metrics.module';
import type { MessageStatus } from './message-status';

@Injectable()
export class MessageMetrics {
  private readonly messages: Counter<'status'>;

  constructor(registry: Registry) {
    this.messages = new Counter({
      name: `${METRIC_PREFIX}messages_total`,
      help: 'Messages that reached this status: pending when accepted, received when incoming',
      labelNames: ['status'],
      registers: [registry],
    });
  }

  count(status: MessageStatus, messages = 1): void {
    if (messages > 0) this.messages.inc({ status }, messages);
  }
}
