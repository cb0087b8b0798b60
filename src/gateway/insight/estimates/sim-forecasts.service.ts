import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { forEachInSlices, inSlices } from '../../../common/slices';
import { capabilitiesOf } from '../../../devices/store/phone-capabilities';
import { connectionOf } from '../../../devices/connection/connection';
import { hashRecipient } from '../../../devices/sims/limits/hash-recipient';
import { choosePhoneSim } from '../../../devices/sims/choose-phone-sim';
import { SimUsageRepository } from '../../../devices/sims/sim-usage.repository';
import type { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { SimsRepository } from '../../../devices/sims/sims.repository';
import type { Sender } from '../../senders/assignment';
import { laneKey, laneOf } from '../../senders/lane';
import { recipientNumber } from '../../sends/plan/recipient-number';
import type { PreparedSend } from '../../sends/acceptance/prepared-send';
import { plannedQuietWait } from '../../sends/plan/planned-quiet-wait';
import type { EstimatedPlan } from '../../sends/plan/send-planner.service';
import { type HeldBack, heldBackOf, type Hold } from '../../routing/held-back';
import { forecastHeld, type ForecastMessage, limitsRecipients } from './held-forecast';

/** What one SIM sends of a send. */
export interface SimShare {
  readonly sim: Types.ObjectId;
  readonly messages: number;
  /** When it is done with them. */
  readonly until: Date;
}

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
  /** By how much quiet hours delay its waves. */
  delayMs: number;
  readonly messages: ForecastMessage[];
}

/** A message for one phone waits until that opens its stream; a pool has said what it waits for. */
function unreachableWait({ sim, device }: Sender, now: Date): Sender['waitingFor'] {
  const isAway =
    !sim && !capabilitiesOf(device).needsPushToken && connectionOf(device, now).state === 'offline';
  return isAway ? { reason: 'phone_unreachable' } : undefined;
}

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
    await forEachInSlices(estimated.plan.messages(), (message) => {
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
        return;
      }
      const { waitingFor = unreachableWait(sender, now) } = sender;
      if (waitingFor)
        holds.push({ reason: waitingFor.reason, until: waitingFor.until?.getTime() ?? Infinity });
      const { sim } = choice;
      if (!sim) return;
      const share = shares.get(sim._id.toHexString()) ?? {
        sim,
        laneEnd: estimated.laneEnds.get(laneKey(laneOf(sender))) ?? now,
        delayMs: 0,
        messages: [],
      };
      share.delayMs = Math.max(share.delayMs, quiet?.delayMs ?? 0);
      share.messages.push({
        dueAt: (message.dueAt ?? now).getTime(),
        recipient: limitsRecipients(sim) ? hashRecipient(number) : '',
      });
      shares.set(sim._id.toHexString(), share);
    });
    const usages = await this.usages.find(
      account,
      [...shares.values()].map(({ sim }) => sim._id),
    );
    const sims: SimShare[] = [];
    for (const { sim, laneEnd, delayMs: quietMs, messages } of shares.values()) {
      const usage = usages.get(sim._id.toHexString());
      const { held } = await inSlices(forecastHeld(sim, usage, messages, now.getTime()));
      let until = laneEnd.getTime() + quietMs;
      for (const { dueAt } of messages) until = Math.max(until, dueAt);
      for (const wait of held.values()) {
        holds.push(wait);
        until = Math.max(until, wait.until);
      }
      sims.push({ sim: sim._id, messages: messages.length, until: new Date(until) });
    }
    return { sims, heldBack: heldBackOf(holds), delayMs };
  }
}
