import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { HOUR_MS } from '../../common/durations';
import type { Device } from '../../devices/device.schema';
import { type Admission, type HeldMessage, SimAdmission } from '../../devices/sims/sim-admission.service';
import type { SentMessage } from '../../messages/message.schema';
import { partsOf } from '../../messages/text/segments';
import { DispatchQueue } from '../dispatch/dispatch.queue';
import type { WaveKey } from '../dispatch/dispatch.repository';
import { WaitingMessagesRepository } from './waiting-messages.repository';

/** Messages that wait for longer get no job; the sweeper finds them when they are due. */
const MAX_JOB_DELAY_MS = HOUR_MS;

/** Asks which messages of a wave may leave, and has the others wait. */
@Injectable()
export class WaitingMessages {
  constructor(
    private readonly admission: SimAdmission,
    private readonly messages: WaitingMessagesRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Admits due messages; the others wait, with the reason. What is admitted has to be settled.
   * @param isPaced whether they wait for the pace of the phone.
   */
  async admit(
    device: Device,
    key: WaveKey,
    due: readonly SentMessage[],
    isPaced: boolean,
  ): Promise<Admission> {
    const admission = await this.admission.admit(device, due.map(toDueMessage), isPaced);
    await this.hold(key, admission.held);
    return admission;
  }

  /** Stores why messages wait, and enqueues their wave for when they are due again. */
  async hold(key: WaveKey, held: readonly HeldMessage[]): Promise<void> {
    if (held.length === 0) return;
    const now = this.clock.now();
    await this.messages.hold(held, now);
    const times = new Set(held.map(({ retryAt }) => retryAt.getTime()));
    const soon = [...times].filter((time) => time - now.getTime() <= MAX_JOB_DELAY_MS);
    await this.queue.enqueueOnce(soon.map((time) => ({ ...key, dueAt: new Date(time) })));
  }
}

const toDueMessage = (message: SentMessage) => ({
  id: message._id,
  recipient: message.recipient,
  parts: partsOf(message),
  ...(message.simSubscriptionId !== undefined && { simSubscriptionId: message.simSubscriptionId }),
});
