import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { hashRecipient } from '../../devices/sims/limits/hash-recipient';
import { choosePhoneSim } from '../../devices/sims/choose-phone-sim';
import { SimUsageRepository } from '../../devices/sims/sim-usage.repository';
import type { SimRecord } from '../../devices/sims/sim.schema';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { laneKey, laneOf } from '../senders/lane';
import { recipientNumber } from '../senders/recipient-number';
import type { PreparedSend } from '../sends/acceptance/acceptance.service';
import { plannedQuietWait } from '../sends/planned-quiet-wait';
import type { EstimatedPlan } from '../sends/send-planner.service';
import { type HeldBack, heldBackOf, type Hold } from '../waiting/held-back';
import { forecastHeld, type ForecastMessage } from './held-forecast';
import type { SimShareResponse } from './estimate.response';

/** What one SIM sends of a send. */
export type SimShare = Readonly<Omit<SimShareResponse, 'sim'>> & { readonly sim: Types.ObjectId };

export interface SimForecast {
  /** Without messages for which the phone chooses the SIM. */
  readonly sims: SimShare[];
  readonly heldBack: HeldBack[];
}

/** A forecast, and by how much quiet hours delay its waves. */
type DelayedForecast = SimForecast & { readonly delayMs: number };

type SendToForecast = Omit<PreparedSend, 'idempotency'>;

interface Share {
  readonly sim: SimRecord;
  readonly laneEnd: Date;
  readonly messages: ForecastMessage[];
}

/** Takes about 30 ms. */
const CHECKED_PER_TURN = 1_000;

/** Forecasts what each SIM sends of a send, and what is held back. */
@Injectable()
export class SimForecasts {
  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly clock: Clock,
  ) {}

  /** Forecasts an estimated send, by what its SIMs have used. */
  async forecast(
    account: AccountScope,
    send: SendToForecast,
    estimated: EstimatedPlan,
  ): Promise<DelayedForecast> {
    const now = this.clock.now();
    const { assignment } = send;
    const present = assignment.pool ? [] : await this.sims.listPresent(account, assignment.devices[0]._id);
    const holds: Hold[] = [];
    const shares = new Map<string, Share>();
    let delayMs = 0;
    let checked = 0;
    for (const message of estimated.plan.messages()) {
      if (++checked % CHECKED_PER_TURN === 0) await nextTurn();
      const { sender, entry } = message;
      const number = recipientNumber(send, message);
      const quiet = plannedQuietWait(send.request, message, number, now);
      if (quiet) {
        holds.push({ reason: 'quiet_hours', until: quiet.endsAt.getTime() });
        delayMs = Math.max(delayMs, quiet.delayMs);
      }
      const choice = sender.sim
        ? { sim: sender.sim }
        : choosePhoneSim(sender.device, present, entry.simSubscriptionId);
      if ('reason' in choice) {
        holds.push({ reason: choice.reason, until: Infinity });
        continue;
      }
      const { waitingFor } = sender;
      if (waitingFor)
        holds.push({ reason: waitingFor.reason, until: waitingFor.until?.getTime() ?? Infinity });
      const { sim } = choice;
      if (!sim) continue;
      const share = shares.get(sim._id.toHexString()) ?? {
        sim,
        laneEnd: estimated.laneEnds.get(laneKey(laneOf(sender))) ?? now,
        messages: [],
      };
      share.messages.push({
        dueAt: (message.dueAt ?? now).getTime(),
        recipient: hashRecipient(number),
      });
      shares.set(sim._id.toHexString(), share);
    }
    const usages = await this.usages.find(
      account,
      [...shares.values()].map(({ sim }) => sim._id),
    );
    const sims = [...shares.values()].map(({ sim, laneEnd, messages }): SimShare => {
      const held = forecastHeld(sim, usages.get(sim._id.toHexString()), messages, now.getTime());
      holds.push(...held.values());
      const ends = [...[...held.values()].map(({ until }) => until), ...messages.map(({ dueAt }) => dueAt)];
      const until = ends.reduce((last, end) => Math.max(last, end), laneEnd.getTime());
      return { sim: sim._id, messages: messages.length, until: new Date(until) };
    });
    return { sims, heldBack: heldBackOf(holds), delayMs };
  }
}
