import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../../auth/account-scope';
import { BillingService } from '../../../billing/billing.service';
import { Clock } from '../../../common/clock';
import { nextTurn } from '../../../common/slices';
import { MAX_OFFENDING_CHARACTERS, offendingCharacters } from '../../../messages/text/segments';
import type { SendInput } from '../../send-input/send-input';
import { chargesOfSend } from '../../sends/acceptance/batch-charges';
import { SendPlanner } from '../../sends/plan/send-planner.service';
import { SendPreparationService } from '../../sends/send-preparation.service';
import { SuppressedRecipients } from '../../sends/acceptance/suppressed-recipients.service';
import type { SkippedRecipients } from '../../send-input/skip-unreadable';
import { type SendSize, sizeOfSend } from '../../send-input/send-size';
import type { SendEntry } from '../../send-input/send-validation';
import { type SimForecast, SimForecasts } from './sim-forecasts.service';
import { sum } from '../../../common/sum';

export interface Estimate extends Omit<SendSize, 'parts'>, SimForecast {
  /** Characters that force UCS-2, each once, in the order of their first use. */
  readonly offendingCharacters: string[];
  readonly messages: number;
  /** SMS parts of all messages, at most. */
  readonly parts: number;
  /** Messages to blocked recipients, of all messages: they would fail. */
  readonly suppressed: number;
  /** Only of a send in waves. */
  readonly estimatedCompletionAt?: Date;
  /** Recipients that would be left out, as the request asks for. */
  readonly skipped?: SkippedRecipients;
}

/** Estimates sends: what a send would be answered, without storing or reserving anything. */
@Injectable()
export class EstimateService {
  constructor(
    private readonly preparation: SendPreparationService,
    private readonly suppressedRecipients: SuppressedRecipients,
    private readonly billing: BillingService,
    private readonly planner: SendPlanner,
    private readonly forecasts: SimForecasts,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable,
   * PushTokenHeld, NoEnabledDevice, PoolNotFound, NoEnabledSim, RecipientSuppressed,
   * PlanLimitReached
   */
  async estimate(account: AccountScope, given: SendInput): Promise<Estimate> {
    const send = await this.preparation.prepare(account, given);
    const suppressed = await this.suppressedRecipients.count(account, send);
    const { request, assignment, billingPlan, skipped } = send;
    const now = this.clock.now();
    await this.billing.assertWithinLimits(account, billingPlan, {
      charges: chargesOfSend(request, now),
      at: now,
    });
    const { entries } = request;
    // Each of these takes milliseconds for thousands of texts.
    await nextTurn();
    const size = await sizeOfSend(send.input);
    await nextTurn();
    const offending = offendingCharactersOf(entries);
    const parts = sum(entries, (entry) => entry.parts * entry.recipients.length);
    await nextTurn();
    const estimated = this.planner.estimate(request, assignment);
    await nextTurn();
    const { sims, heldBack, delayMs } = await this.forecasts.forecast(account, send, estimated);
    const { estimatedCompletionAt } = estimated.plan;
    return {
      ...size,
      offendingCharacters: offending,
      messages: sum(entries, ({ recipients }) => recipients.length),
      parts,
      suppressed,
      ...(estimatedCompletionAt && {
        estimatedCompletionAt: new Date(estimatedCompletionAt.getTime() + delayMs),
      }),
      sims,
      heldBack,
      ...(skipped && { skipped }),
    };
  }
}

function offendingCharactersOf(entries: readonly SendEntry[]): string[] {
  const found = new Set(entries.flatMap(({ message }) => offendingCharacters(message)));
  return [...found].slice(0, MAX_OFFENDING_CHARACTERS);
}
