import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { Device } from '../../devices/store/device.schema';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { type AttemptEnd, MOVE_DELAY_MS, PUSH_UNAVAILABLE } from '../../messages/ended-attempt';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import { Message } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { PushResult } from '../../push/transport/push-transport';
import { retryDispatchAt } from './dispatch-backoff';
import { DispatchQueue } from '../waves/dispatch.queue';
import { DispatchOutcomesRepository } from './dispatch-outcomes.repository';
import type { WaveKey, WaveToEnqueue } from '../waves/wave-key';

/** Stores the outcome of a push: a message is dispatched, fails, or is due again later. In a pool it may then move to another phone. */
@Injectable()
export class DispatchOutcomes {
  constructor(
    private readonly messages: DispatchOutcomesRepository,
    private readonly devices: DevicesRepository,
    private readonly queue: DispatchQueue,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
    private readonly connections: ConnectionRecorder,
    private readonly clock: Clock,
  ) {}

  /** @param results in the order of the messages; without a result, the transport may have accepted the message. */
  async store(
    device: Device,
    key: WaveKey,
    pushed: readonly Message[],
    results: readonly PushResult[],
  ): Promise<void> {
    const byOutcome = (outcome: PushResult['outcome']) =>
      pushed.filter((_, index) => (results[index]?.outcome ?? 'doubt') === outcome);
    await this.moveToDispatched([...byOutcome('accepted'), ...byOutcome('doubt')]);
    await this.failRefused(device, key, pushed, results);
    await this.retryLater(key, byOutcome('unavailable'));
  }

  /** Moves messages to dispatched whose push was started up to `startedUntil` and has no result yet. */
  async endExpiredClaims(expired: readonly Message[], startedUntil: Date): Promise<void> {
    if (expired.length === 0) return;
    const count = await this.messages.endExpiredClaims(expired, startedUntil, this.clock.now());
    this.recordDispatched(expired, count);
  }

  private async moveToDispatched(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    await this.messages.moveToDispatched(messages, this.clock.now());
    this.recordDispatched(messages, messages.length);
  }

  private recordDispatched(messages: readonly Message[], count: number): void {
    this.changes.recordAll('dispatched', count, messages);
    // Their phones have to answer.
    for (const { device } of messages) this.connections.expectAnswer(device);
  }

  private async fail(messages: readonly Message[], code: string): Promise<void> {
    const count = await this.messages.fail(messages, code, this.clock.now());
    this.changes.recordAll('failed', count, messages);
    this.outbox.notify();
  }

  private async failRefused(
    device: Device,
    key: WaveKey,
    claimed: readonly Message[],
    results: readonly PushResult[],
  ): Promise<void> {
    const refused = claimed.flatMap((message, index) => {
      const result = results[index];
      return result?.outcome === 'refused' ? [{ message, ...result }] : [];
    });
    for (const [code, ofCode] of groupBy(refused, (each) => each.code))
      await this.giveUp(
        key,
        ofCode.map(({ message }) => message),
        code,
      );
    if (device.fcmToken && refused.some(({ isTokenInvalid }) => isTokenInvalid))
      await this.devices.removeRejectedToken(
        accountScope(device.user),
        device._id,
        device.fcmToken,
        this.clock.now(),
      );
  }

  private async retryLater(key: WaveKey, messages: readonly Message[]): Promise<void> {
    const now = this.clock.now();
    const dueTimeOf = (message: Message): number | undefined => {
      const dispatchAttempts = (message.dispatchAttempts ?? 0) + 1;
      const retryAt = retryDispatchAt(dispatchAttempts, message.unavailableSince ?? now, now);
      // Without the backoff after the first failure on a device, so that another phone of the pool can take the message soon.
      return retryAt && isFirstOnDevice(message) ? now.getTime() + MOVE_DELAY_MS : retryAt?.getTime();
    };
    const waves: WaveToEnqueue[] = [];
    for (const [time, due] of groupBy(messages, dueTimeOf)) {
      if (time === undefined) {
        await this.giveUp(key, due, PUSH_UNAVAILABLE);
        continue;
      }
      const dueAt = new Date(time);
      await this.makeDueAgain(due, dueAt, now);
      waves.push({ ...key, dueAt });
    }
    await this.queue.enqueue(waves);
  }

  /** A message of a pool may move to another phone; the others fail. */
  private async giveUp(key: WaveKey, messages: readonly Message[], code: string): Promise<void> {
    const now = this.clock.now();
    const dueAt = new Date(now.getTime() + MOVE_DELAY_MS);
    const moved = await this.endAttempts(messages.filter(isOfPool), dueAt, now, { outcome: 'refused', code });
    if (moved > 0) await this.queue.enqueue([{ ...key, dueAt }]);
    // Skips those that were moved: their claims have ended.
    if (moved < messages.length) await this.fail(messages, code);
  }

  private async makeDueAgain(messages: readonly Message[], dueAt: Date, now: Date): Promise<void> {
    const attempt = { outcome: 'unavailable', code: PUSH_UNAVAILABLE } as const;
    let endedCount = 0;
    for (const [isFirst, ended] of groupBy(messages.filter(isOfPool), isFirstOnDevice))
      endedCount += await this.endAttempts(ended, dueAt, now, isFirst ? attempt : undefined);
    if (endedCount < messages.length) await this.messages.releaseClaims(messages, dueAt, now);
  }

  /** @returns how many. */
  private async endAttempts(
    messages: readonly Message[],
    dueAt: Date,
    now: Date,
    attempt?: Pick<AttemptEnd, 'outcome' | 'code'>,
  ): Promise<number> {
    const [first] = messages;
    return first ? this.messages.endAttempts(messages, first.device, dueAt, now, attempt) : 0;
  }
}

const isOfPool = ({ pool }: Message): boolean => pool !== undefined;

/** Whether a message of a pool has not been tried on its device before. */
const isFirstOnDevice = ({ pool, device, attempts = [] }: Message): boolean =>
  pool !== undefined && !attempts.some((attempt) => attempt.device.equals(device));
