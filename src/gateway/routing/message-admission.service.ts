import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import type { Device } from '../../devices/store/device.schema';
import { type Admission, type HeldMessage, SimAdmission } from '../../devices/sims/sim-admission.service';
import type { Batch } from '../../messages/batch.schema';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import type { OutgoingMessage } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { partsOf } from '../../messages/text/segments';
import { DispatchQueue } from '../waves/dispatch.queue';
import type { WaveKey } from '../waves/wave-key';
import type { RoutedMessages } from './routed-messages';
import { MAX_PACE_WAIT_MS } from '../senders/pool-sim';
import { isInGroup, pacedAs } from '../waves/wave-plan';
import { quietWait } from '../quiet-hours/quiet-wait';
import { WaitingMessagesRepository } from './waiting-messages.repository';

/** Messages that wait for longer get no job; `DispatchScheduler` finds them when they are overdue. */
const MAX_JOB_DELAY_MS = HOUR_MS;

/** Until a message of a pool whose SIM turned out to be full is routed to another one. */
const REROUTE_FROM_FULL_SIM_MS = 5 * SECOND_MS;

/** Asks which messages of a wave may leave, and has the others wait or fail. */
@Injectable()
export class MessageAdmission {
  private readonly logger = new Logger(MessageAdmission.name);

  constructor(
    private readonly simAdmission: SimAdmission,
    private readonly messages: WaitingMessagesRepository,
    private readonly queue: DispatchQueue,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Admits due messages; the others wait, with the reason. Reservations last until `SimAdmission.settleAdmission`. Messages
   * of a pool whose SIM is full are soon due again, to be routed to another SIM.
   */
  async admit(
    { device, messages, isChosenByPool }: RoutedMessages,
    batch: Batch,
    key: WaveKey,
  ): Promise<Admission> {
    const due = messages.map((message) => toDueMessage(message, isChosenByPool));
    const admission = await this.simAdmission.admit(device, due, { pacedAs: pacedAs(batch, key.wave) });
    const now = this.clock.now();
    const { held } = admission;
    await this.hold(key, isChosenByPool ? held.map((each) => rerouteSoon(each, now)) : held, messages);
    return admission;
  }

  /**
   * Has the messages wait whose recipients are in the quiet hours of the batch, unless it is urgent.
   * @returns the others.
   */
  async holdQuiet(
    device: Pick<Device, 'systemInfo'>,
    batch: Batch,
    key: WaveKey,
    due: readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]> {
    const held = quietMessages(device, batch, key, due, this.clock.now());
    if (held.length === 0) return due;
    if (batch.priority === 'urgent') {
      this.logger.log(
        `Batch ${batch._id.toHexString()} is urgent: ${held.length} messages of wave ${key.wave} do not wait for the quiet hours of their recipients`,
      );
      return due;
    }
    await this.hold(key, held, due);
    const ids = new Set(held.map(({ id }) => id));
    return due.filter(({ _id }) => !ids.has(_id));
  }

  /**
   * Stores why messages wait, and enqueues their wave for when they are due again.
   * @param read the messages of which some are held, as they were when this was decided.
   */
  async hold(key: WaveKey, held: readonly HeldMessage[], read: readonly OutgoingMessage[]): Promise<void> {
    if (held.length === 0) return;
    const now = this.clock.now();
    const ids = new Set(held.map(({ id }) => id.toHexString()));
    await this.messages.hold(
      held,
      read.filter(({ _id }) => ids.has(_id.toHexString())),
      now,
    );
    const times = new Set(held.map(({ retryAt }) => retryAt.getTime()));
    const soon = [...times].filter((time) => time - now.getTime() <= MAX_JOB_DELAY_MS);
    await this.queue.enqueue(soon.map((time) => ({ ...key, dueAt: new Date(time) })));
  }

  /** Fails messages that can never leave, unless a worker has claimed them, and raises their event. */
  async fail(messages: readonly OutgoingMessage[], code: string): Promise<void> {
    const count = await this.messages.fail(messages, code, this.clock.now());
    this.changes.recordAll('failed', count, messages);
    this.outbox.notify();
  }
}

/** Makes a message due again soon, unless it waits only for a short time, and for the pace of its SIM. */
function rerouteSoon(held: HeldMessage, now: Date): HeldMessage {
  const waitMs = held.retryAt.getTime() - now.getTime();
  const isShort = held.reason === 'parts_per_minute' && waitMs < MAX_PACE_WAIT_MS;
  return isShort
    ? held
    : { ...held, retryAt: new Date(now.getTime() + Math.min(waitMs, REROUTE_FROM_FULL_SIM_MS)) };
}

const toDueMessage = (message: OutgoingMessage, isChosenByPool: boolean) => ({
  id: message._id,
  recipient: message.peerNumber,
  isChosenByPool,
  parts: partsOf(message),
  isUrgent: message.priority === 'urgent',
  ...(message.simSubscriptionId !== undefined && { simSubscriptionId: message.simSubscriptionId }),
  ...(message.paceSlot && { paceSlot: message.paceSlot }),
});

function quietMessages(
  { systemInfo }: Pick<Device, 'systemInfo'>,
  { quietHours, groups }: Batch,
  { wave }: WaveKey,
  due: readonly OutgoingMessage[],
  now: Date,
): HeldMessage[] {
  if (!quietHours) return [];
  const group = groups.find((each) => isInGroup(each, wave));
  const groupStart = group && group.waves > 1 ? (group.startAt ?? group.scheduledAt) : undefined;
  return due.flatMap((message) => {
    const { _id: id, sim, pool, peerNumber: number, dispatchDueAt = now, waitingFor } = message;
    const fallbackZone = systemInfo?.timezone;
    const wait = quietWait(quietHours, { number, fallbackZone, dueAt: dispatchDueAt, groupStart }, now);
    if (!wait) return [];
    // Decided on again before it was due: its due time is that after the quiet hours.
    const known = waitingFor?.reason === 'quiet_hours' ? waitingFor.until : undefined;
    const until = known && known > now ? known : wait.until;
    return [{ id, reason: 'quiet_hours' as const, until, retryAt: until, ...(pool && sim && { sim }) }];
  });
}
