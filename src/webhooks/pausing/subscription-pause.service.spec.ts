import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Registry } from 'prom-client';
import { accountScope } from '../../auth/account-scope';
import type { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryMetrics } from '../deliveries/delivery.metrics';
import type { SubscriptionPauseRepository } from './subscription-pause.repository';
import { SubscriptionPauseService } from './subscription-pause.service';

describe('SubscriptionPauseService', () => {
  const subscription = new Types.ObjectId();
  const condition = { deliveryUrl: 'https://example.com/hook' };
  let registry: Registry;
  let warn: jest.SpyInstance;

  beforeEach(() => {
    registry = new Registry();
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(() => jest.restoreAllMocks());

  function pausing({ isPaused }: { isPaused: boolean }): SubscriptionPauseService {
    return new SubscriptionPauseService(
      {
        pause: () => Promise.resolve(isPaused),
        findOwner: () => Promise.resolve(accountScope(new Types.ObjectId())),
        isActive: () => Promise.resolve(false),
      } as unknown as SubscriptionPauseRepository,
      {
        listAbortable: () => Promise.resolve([new Types.ObjectId(), new Types.ObjectId()]),
        abort: () => Promise.resolve(2),
      } as unknown as DeliveriesRepository,
      new DeliveryMetrics(registry),
      { now: () => new Date() },
    );
  }

  it('logs a pause with the subscription and the reason', async () => {
    await pausing({ isPaused: true }).pause(
      subscription,
      condition,
      'Paused: the endpoint answered 410 Gone',
    );
    expect(warn).toHaveBeenCalledWith(
      `Webhook subscription ${subscription.toHexString()}: Paused: the endpoint answered 410 Gone`,
    );
  });

  it('logs nothing if the subscription was not paused', async () => {
    expect(await pausing({ isPaused: false }).pause(subscription, condition, 'Paused')).toBe(false);
    expect(warn).not.toHaveBeenCalled();
  });

  it('counts aborted deliveries as failed', async () => {
    await pausing({ isPaused: true }).pause(subscription, condition, 'Paused');
    const metric = await registry.getSingleMetric('messaging_gateway_webhook_deliveries_total')?.get();
    expect(metric?.values).toContainEqual({ labels: { status: 'failed' }, value: 2 });
  });
});
