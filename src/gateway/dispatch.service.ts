import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { DisabledAccounts } from '../auth/disabled-accounts.service';
import { Clock } from '../common/clock';
import { InStep } from '../common/gathering';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { BatchesRepository } from '../messages/batches.repository';
import { DispatchRepository, WaveKey } from '../messages/dispatch.repository';
import { MessageMetrics } from '../messages/message.metrics';
import { Message } from '../messages/message.schema';
import { OutboxQueue } from '../messages/outbox.queue';
import { PushService } from '../push/push.service';
import { PushResult } from '../push/push-transport';
import { nextDispatchAt } from './dispatch-backoff';
import { DispatchQueue } from './dispatch.queue';
import { GroupPlanner } from './group-planner.service';
import { OFFER_MS } from './offer';
import { pushTargetOf } from './sending-device.service';
import { smsCommand } from './sms-command';

/** A push that has no result after this long is in doubt: its worker has died. Longer than any push takes. */
const PUSH_LEASE_MS = 60_000;

/** Messages of a disabled account are looked at again after this long. */
const DISABLED_RETRY_MS = 60_000;

/** Messages without a batch are nobody's any more after this long. */
const ORPHAN_AGE_MS = 60_000;

/** Hands due messages to the push service. Every step can run twice, and two workers can run one wave at once. */
@Injectable()
export class DispatchService {
  // In step, so that each of their reads and writes is one for all of them.
  private readonly waves = new InStep((key: WaveKey) => this.dispatch(key));

  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: DispatchRepository,
    private readonly devices: DevicesRepository,
    private readonly disabled: DisabledAccounts,
    private readonly planner: GroupPlanner,
    private readonly push: PushService,
    private readonly queue: DispatchQueue,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /** Dispatches what is due of a wave. Nothing happens unless its batch is accepted. */
  dispatchWave(key: WaveKey): Promise<void> {
    return this.waves.ask(key);
  }

  private async dispatch(key: WaveKey): Promise<void> {
    const [batch, due] = await Promise.all([
      this.batches.findForDispatch(key.batch),
      this.messages.listDue(key, this.clock.now()),
    ]);
    if (!batch) await this.removeOrphans(key, due);
    if (batch?.acceptance !== 'accepted' || due.length === 0) return;
    if (await this.planner.planIfNeeded(batch, key.wave)) return;
    const waiting = await this.settleDoubt(due);
    if (waiting.length === 0) return;
    if (await this.disabled.has(batch)) {
      const again = new Date(this.clock.now().getTime() + DISABLED_RETRY_MS);
      await this.messages.postpone(waiting.map(idOf), again);
      return;
    }
    const device = await this.devices.find(batch, batch.device);
    if (!device?.enabled) {
      const code = device ? 'DEVICE_DISABLED' : 'DEVICE_DELETED';
      await this.fail(waiting.map(idOf), code);
      return;
    }
    await this.pushTo(device, key, waiting);
  }

  /** A process that stalled while it accepted a send can have stored messages after the send was given up. */
  private async removeOrphans({ batch }: WaveKey, due: readonly Message[]): Promise<void> {
    const age = this.clock.now().getTime() - Math.max(...due.map(({ createdAt }) => createdAt.getTime()));
    if (due.length > 0 && age > ORPHAN_AGE_MS) await this.messages.removeBatch(batch);
  }

  /**
   * Whoever died between claiming a message and learning what became of it leaves doubt: the push service may
   * have it. Such a message counts as dispatched, because pushing it again could send it twice.
   * @returns the messages nobody has claimed.
   */
  private async settleDoubt(due: readonly Message[]): Promise<Message[]> {
    const now = this.clock.now();
    const doubtful = due.filter(
      ({ pushStartedAt }) => pushStartedAt && now.getTime() - pushStartedAt.getTime() > PUSH_LEASE_MS,
    );
    if (doubtful.length > 0) await this.moveToDispatched(doubtful);
    return due.filter(({ pushStartedAt }) => !pushStartedAt);
  }

  private async pushTo(device: Device, key: WaveKey, waiting: readonly Message[]): Promise<void> {
    const now = this.clock.now();
    const offerUntil = new Date(now.getTime() + OFFER_MS);
    const won = await this.messages.claim(waiting.map(idOf), offerUntil, now);
    const claimed = waiting.filter(({ _id }) => won.has(_id.toHexString()));
    if (claimed.length === 0) return;
    const results = await this.push.push(pushTargetOf(device), claimed.map(smsCommand));
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
    this.outbox.wake();
  }

  private async failRefused(
    device: Device,
    claimed: readonly Message[],
    results: readonly PushResult[],
  ): Promise<void> {
    const idsByCode = new Map<string, Types.ObjectId[]>();
    let tokenIsDead = false;
    for (const [index, message] of claimed.entries()) {
      const result = results[index];
      if (result?.outcome !== 'refused') continue;
      idsByCode.set(result.code, [...(idsByCode.get(result.code) ?? []), message._id]);
      tokenIsDead ||= result.tokenIsDead;
    }
    for (const [code, ids] of idsByCode) await this.fail(ids, code);
    if (tokenIsDead && device.fcmToken)
      await this.devices.dropToken(device, device._id, device.fcmToken, this.clock.now());
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
    await this.queue.wake([...idsByTime.keys()].map((time) => ({ ...key, dueAt: new Date(time) })));
  }
}

const idOf = ({ _id }: Message): Types.ObjectId => _id;
