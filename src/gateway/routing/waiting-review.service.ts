import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { clearFreedRoom, RESERVATION_TIMEOUT_MS } from '../../devices/sims/limits/admission';
import { SimAdmission } from '../../devices/sims/sim-admission.service';
import { SimUsageRepository } from '../../devices/sims/sim-usage.repository';
import type { SimUsage } from '../../devices/sims/schemas/sim-usage.schema';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { DispatchQueue } from '../waves/dispatch.queue';
import { WaitingMessagesRepository } from './waiting-messages.repository';

const MAX_SIMS_PER_RUN = 100;

/** Further waves are found by `DispatchScheduler`. */
const MAX_REVIEWED_MESSAGES = 5_000;

/** Ends reservations of dead processes, and has waiting messages decided on again. Safe to run in several processes. */
@Injectable()
export class WaitingReview {
  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly admission: SimAdmission,
    private readonly messages: WaitingMessagesRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /** Ends reservations of dead processes, and has the messages of SIMs reviewed whose usage has freed room. */
  async reviewUsages(): Promise<void> {
    const now = this.clock.now();
    for (const usage of await this.usages.listDue(now, MAX_SIMS_PER_RUN)) {
      await this.expireReservations(usage, now);
      if (usage.hasFreedRoom) await this.reviewFreedRoom(usage, now);
    }
  }

  /** Makes the messages due that wait for a SIM which has changed. */
  async reviewChanged(): Promise<void> {
    const now = this.clock.now();
    for (const sim of await this.sims.listReviewDue(now, MAX_SIMS_PER_RUN)) {
      await this.messages.makeDue(sim, now);
      await this.queue.enqueue(await this.messages.listDueWaves(sim, now, MAX_REVIEWED_MESSAGES));
      await this.sims.finishReview(sim);
    }
  }

  async isDueBefore(time: Date): Promise<boolean> {
    const due = await Promise.all([this.usages.listDue(time, 1), this.sims.listReviewDue(time, 1)]);
    return due.flat().length > 0;
  }

  /** Ends old reservations: what was claimed with them stays counted. */
  private async expireReservations({ _id, user, reservations }: SimUsage, now: Date): Promise<void> {
    for (const { id: reservationId, at, messages } of reservations) {
      if (now.getTime() - at.getTime() < RESERVATION_TIMEOUT_MS) continue;
      const claimed = await this.messages.findClaimed(
        accountScope(user),
        messages.map(({ id }) => id),
        reservationId,
      );
      await this.admission.releaseUnused(_id, user, reservationId, (id) => claimed.has(id.toHexString()));
    }
  }

  private async reviewFreedRoom({ _id, user }: SimUsage, now: Date): Promise<void> {
    // First, because a process that dies in between repeats it.
    await this.sims.markForReview([_id], now);
    await this.usages.change(accountScope(user), _id, (usage) => ({
      usage: clearFreedRoom(usage, now),
      result: undefined,
    }));
  }
}
