import { BeforeApplicationShutdown, Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { formatError } from '../../common/format-error';
import { withLogIds } from '../../infrastructure/logging/log-ids';
import { DeliveryRunnerPool } from '../runners/delivery-runner-pool.service';
import { IsolatedRelayService } from '../relay/isolated-relay.service';
import { OutboxRelayService } from '../relay/outbox-relay.service';

/** Runners that are started in parallel. */
const START_CONCURRENCY = 20;

/**
 * Relays and delivers in the process of the scheduler, for work whose job Redis did not accept. Safe while workers do the
 * same work: relaying is idempotent, and a subscription has one runner.
 */
@Injectable()
export class WebhooksFallback implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhooksFallback.name);
  private isStopping = false;
  private running: Promise<unknown> = Promise.resolve();
  private stopping?: Promise<void>;

  constructor(
    private readonly outboxRelay: OutboxRelayService,
    private readonly isolatedRelay: IsolatedRelayService,
    private readonly runners: DeliveryRunnerPool,
  ) {}

  /** Relays the events that are due. */
  relay(): Promise<void> {
    return this.track(async () => {
      await this.outboxRelay.relay();
      // Not awaited, so that isolated messages delay no delivery.
      void this.isolatedRelay.run();
    });
  }

  /** Starts runners for subscriptions with due deliveries. A failure is logged; the scheduler retries it. */
  deliver(subscriptions: readonly Types.ObjectId[]): Promise<void> {
    return this.track(async () => {
      for (let first = 0; first < subscriptions.length && !this.isStopping; first += START_CONCURRENCY) {
        const batch = subscriptions.slice(first, first + START_CONCURRENCY);
        await Promise.all(batch.map((subscription) => this.startRunner(subscription)));
      }
    });
  }

  onModuleDestroy(): void {
    void this.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private track(work: () => Promise<void>): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    const run = work();
    this.running = Promise.allSettled([this.running, run]);
    return run;
  }

  private async startRunner(subscription: Types.ObjectId): Promise<void> {
    const id = subscription.toHexString();
    const ensureRunning = () => this.runners.ensureRunning(subscription);
    await withLogIds({ webhookSubscriptionId: id }, ensureRunning).catch((failure: unknown) => {
      this.logger.error(
        `Webhook subscription ${id} failed; the scheduler retries it: ${formatError(failure)}`,
      );
    });
  }

  /** Repeated calls share one stop. */
  private stop(): Promise<void> {
    this.stopping ??= this.finish();
    return this.stopping;
  }

  private async finish(): Promise<void> {
    this.isStopping = true;
    this.outboxRelay.stop();
    await this.running;
    await Promise.all([this.isolatedRelay.stop(), this.runners.stop()]);
  }
}
