import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { Clock } from '../../common/clock';
import { MAX_OFFENDING_CHARACTERS, offendingCharacters, partsOf } from '../../messages/text/segments';
import type { SendInput } from '../dto/send.request';
import { chargesOfSend } from '../sends/acceptance/batch-charges';
import { SendPlanner } from '../sends/send-planner.service';
import { SendPreparationService } from '../sends/send-preparation.service';
import { sizeOfSend } from '../sends/send-size';
import type { SendEntry } from '../sends/send-validation';
import { type SimForecast, SimForecasts } from './sim-forecasts.service';
import { sum } from '../../common/sum';
import type { EstimateResponse } from './estimate.response';

export type Estimate = Readonly<Omit<EstimateResponse, keyof SimForecast>> & SimForecast;

/** Estimates sends: what a send would be answered, without storing or reserving anything. */
@Injectable()
export class EstimateService {
  constructor(
    private readonly preparation: SendPreparationService,
    private readonly billing: BillingService,
    private readonly planner: SendPlanner,
    private readonly forecasts: SimForecasts,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable,
   * PushTokenHeld, NoEnabledDevice, PoolNotFound, NoEnabledSim, PlanLimitReached
   */
  async estimate(account: AccountScope, input: SendInput): Promise<Estimate> {
    const send = await this.preparation.prepare(account, input);
    const { request, assignment, billingPlan } = send;
    const now = this.clock.now();
    await this.billing.assertWithinLimits(account, billingPlan, {
      charges: chargesOfSend(request, now),
      at: now,
    });
    const { entries } = request;
    const estimated = this.planner.estimate(request, assignment);
    const { sims, heldBack, delayMs } = await this.forecasts.forecast(account, send, estimated);
    const { estimatedCompletionAt } = estimated.plan;
    return {
      ...sizeOfSend(input),
      offendingCharacters: offendingCharactersOf(entries),
      messages: sum(entries, ({ recipients }) => recipients.length),
      parts: sum(entries, (entry) => partsOf(entry) * entry.recipients.length),
      ...(estimatedCompletionAt && {
        estimatedCompletionAt: new Date(estimatedCompletionAt.getTime() + delayMs),
      }),
      sims,
      heldBack,
    };
  }
}

function offendingCharactersOf(entries: readonly SendEntry[]): string[] {
  const found = new Set(entries.flatMap(({ message }) => offendingCharacters(message)));
  return [...found].slice(0, MAX_OFFENDING_CHARACTERS);
}
