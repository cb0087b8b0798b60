import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { Clock } from '../../common/clock';
import { TaskBatcher } from '../../common/batcher';
import { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { BatchesRepository } from '../../messages/batches.repository';
import { DispatchRepository, WaveKey } from './dispatch.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import { Message } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { PushService } from '../../push/push.service';
import { PushResult } from '../../push/push-transport';
import { nextDispatchAt } from './dispatch-backoff';
import { DispatchQueue } from './dispatch.queue';
import { GroupPlanner } from './group-planner.service';
import { REDELIVERY_WINDOW_MS } from './redelivery-window';
import { pushTargetOf } from '../sends/sending-device.service';
import { toSmsCommand } from './sms-command';

/** A claim without a push result after this time belongs to a dead worker. Longer than any push takes. */
const PUSH_LEASE_MS = 60_000;

const DISABLED_ACCOUNT_RETRY_MS = 60_000;

/** Messages without a batch are removed after this time. */
const ORPHAN_AGE_MS = 60_000;

/** Pushes due messages. Every step is idempotent, and several workers may dispatch the same wave. */
@Injectable()
export class DispatchService {
  private readonly waves = new TaskBatcher((key: WaveKey) => this.dispatch(key));

  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: DispatchRepository,
    private readonly devices: DevicesRepository,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly planner: GroupPlanner,
    private readonly push: PushService,
    private readonly queue: DispatchQueue,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /** Dispatches the due messages of a wave, if its batch is accepted. */
  dispatchWave(key: WaveKey): Promise<void> {
    return this.waves.run(key);
  }

  private async dispatch(key: WaveKey): Promise<void> {
    const [batch, due] = await Promise.all([
      this.batches.findForDispatch(key.batch),
      this.messages.listDue(key, this.clock.now()),
    ]);
    if (!batch) await this.removeOrphans(key, due);
    if (batch?.acceptance !== 'accepted' || due.length === 0) return;
    if (await this.planner.planIfNeeded(batch, key.wave)) return;
    const unclaimed = await this.settleExpiredClaims(due);
    if (unclaimed.length === 0) return;
    if (await this.disabledAccounts.isDisabled(accountScope(batch.user))) {
      const retryAt = new Date(this.clock.now().getTime() + DISABLED_ACCOUNT_RETRY_MS);
      await this.messages.postpone(unclaimed.map(idOf), retryAt);
      return;
    }
    const device = await this.devices.find(accountScope(batch.user), batch.device);
    if (!device?.enabled) {
      const code = device ? 'DEVICE_DISABLED' : 'DEVICE_DELETED';
      await this.fail(unclaimed.map(idOf), code);
      return;
    }
    await this.pushTo(device, key, unclaimed);
  }

  /** A process that stalled during acceptance may have stored messages after its send was rolled back. */
  private async removeOrphans({ batch }: WaveKey, due: readonly Message[]): Promise<void> {
    const ageMs = this.clock.now().getTime() - Math.max(...due.map(({ createdAt }) => createdAt.getTime()));
    if (due.length > 0 && ageMs > ORPHAN_AGE_MS) await this.messages.removeBatch(batch);
  }

  /**
   * Moves messages whose claim has expired to dispatched: the push service may have accepted them, and a second push
   * could send the SMS twice.
   * @returns the messages that are not claimed.
   */
  private async settleExpiredClaims(due: readonly Message[]): Promise<Message[]> {
    const now = this.clock.now();
    const expired = due.filter(
      ({ pushStartedAt }) => pushStartedAt && now.getTime() - pushStartedAt.getTime() > PUSH_LEASE_MS,
    );
    if (expired.length > 0) await this.moveToDispatched(expired);
    return due.filter(({ pushStartedAt }) => !pushStartedAt);
  }

  private async pushTo(device: Device, key: WaveKey, messages: readonly Message[]): Promise<void> {
    const now = this.clock.now();
    const redeliverUntil = new Date(now.getTime() + REDELIVERY_WINDOW_MS);
    const claimedIds = await this.messages.claim(messages.map(idOf), redeliverUntil, now);
    const claimed = messages.filter(({ _id }) => claimedIds.has(_id.toHexString()));
    if (claimed.length === 0) return;
    const results = await this.push.push(pushTargetOf(device), claimed.map(toSmsCommand));
    const byOutcome = (outcome: PushResult['outcome']) =>
      claimed.filter((_, index) => (results[index]?.outcome ?? 'doubt') === outcome);
    await this.moveToDispatched([...byOutcome('accepted'), ...byOutcome('doubt')]);
    await this.failRefused(device, claimed, results);
    await this.retryLater(key, byOutcome('unavailable'));
  }

  private async moveToDispatched(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    await this.messages.moveToDispatched(messages.map(idOf), this.clock.now());
    this.metrics.count('dispatched', messages.length);
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
      await this.devices.dropToken(accountScope(device.user), device._id, device.fcmToken, this.clock.now());
  }

  private async retryLater(key: WaveKey, messages: readonly Message[]): Promise<void> {
    const now = this.clock.now();
    const exhausted: Types.ObjectId[] = [];
    const idsByTime = new Map<number, Types.ObjectId[]>();
    for (const message of messages) {
      const attempts = (message.dispatchAttempts ?? 0) + 1;
      const dueAt = nextDispatchAt(attempts, message.unavailableSince ?? now, now);
      if (dueAt) idsByTime.set(dueAt.getTime(), [...(idsByTime.get(dueAt.getTime()) ?? []), message._id]);
      else exhausted.push(message._id);
    }
    if (exhausted.length > 0) await this.fail(exhausted, 'PUSH_UNAVAILABLE');
    for (const [time, ids] of idsByTime) await this.messages.release(ids, new Date(time), now);
    await this.queue.enqueue([...idsByTime.keys()].map((time) => ({ ...key, dueAt: new Date(time) })));
  }
}

const idOf = ({ _id }: Message): Types.ObjectId => _id;
