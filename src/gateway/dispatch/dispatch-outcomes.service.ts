import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import { Message } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { PushResult } from '../../push/push-transport';
import { retryDispatchAt } from './dispatch-backoff';
import { DispatchQueue } from './dispatch.queue';
import { DispatchRepository, WaveKey } from './dispatch.repository';

/** Stores the outcome of a dispatch: a message is dispatched, fails, or is due again later. */
@Injectable()
export class DispatchOutcomes {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly devices: DevicesRepository,
    private readonly queue: DispatchQueue,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the results of a push.
   * @param results in the order of the messages; without a result, the push service may have accepted the message.
   */
  async store(
    device: Device,
    wave: WaveKey,
    pushed: readonly Message[],
    results: readonly PushResult[],
  ): Promise<void> {
    const byOutcome = (outcome: PushResult['outcome']) =>
      pushed.filter((_, index) => (results[index]?.outcome ?? 'doubt') === outcome);
    await this.moveToDispatched([...byOutcome('accepted'), ...byOutcome('doubt')]);
    await this.failRefused(device, pushed, results);
    await this.retryLater(wave, byOutcome('unavailable'));
  }

  /** Moves messages to dispatched that the push service has, or may have, accepted. */
  async moveToDispatched(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    await this.messages.moveToDispatched(messages.map(idOf), this.clock.now());
    this.metrics.count('dispatched', messages.length);
  }

  /** Fails pending messages that no worker is pushing, and raises their event. */
  async failUnclaimed(ids: readonly Types.ObjectId[], code: string): Promise<void> {
    this.metrics.count('failed', await this.messages.failUnclaimed(ids, code, this.clock.now()));
    this.outbox.notify();
  }

  private async fail(ids: readonly Types.ObjectId[], code: string): Promise<void> {
    this.metrics.count('failed', await this.messages.fail(ids, code, this.clock.now()));
    this.outbox.notify();
  }

  private async failRefused(
    device: Device,
    claimed: readonly Message[],
    results: readonly PushResult[],
  ): Promise<void> {
    const idsByCode = new Map<string, Types.ObjectId[]>();
    let isTokenInvalid = false;
    for (const [index, message] of claimed.entries()) {
      const result = results[index];
      if (result?.outcome !== 'refused') continue;
      idsByCode.set(result.code, [...(idsByCode.get(result.code) ?? []), message._id]);
      isTokenInvalid ||= result.isTokenInvalid;
    }
    for (const [code, ids] of idsByCode) await this.fail(ids, code);
    if (isTokenInvalid && device.fcmToken)
      await this.devices.removeRejectedToken(
        accountScope(device.user),
        device._id,
        device.fcmToken,
        this.clock.now(),
      );
  }

  private async retryLater(key: WaveKey, messages: readonly Message[]): Promise<void> {
    const now = this.clock.now();
    const exhausted: Types.ObjectId[] = [];
    const idsByTime = new Map<number, Types.ObjectId[]>();
    for (const message of messages) {
      const attempts = (message.dispatchAttempts ?? 0) + 1;
      const dueAt = retryDispatchAt(attempts, message.unavailableSince ?? now, now);
      if (dueAt) idsByTime.set(dueAt.getTime(), [...(idsByTime.get(dueAt.getTime()) ?? []), message._id]);
      else exhausted.push(message._id);
    }
    if (exhausted.length > 0) await this.fail(exhausted, 'PUSH_UNAVAILABLE');
    for (const [time, ids] of idsByTime) await this.messages.releaseClaims(ids, new Date(time), now);
    await this.queue.enqueueOnce([...idsByTime.keys()].map((time) => ({ ...key, dueAt: new Date(time) })));
  }
}

const idOf = ({ _id }: Message): Types.ObjectId => _id;
