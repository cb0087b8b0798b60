import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { Clock } from '../../common/clock';
import { contactNumber, dialingCountry } from '../../common/contact-number';
import type { WaitReason } from '../../devices/sims/wait-reasons';
import { MAX_OFFENDING_CHARACTERS, offendingCharacters, partsOf, sizeOf } from '../../messages/text/segments';
import type { SendInput } from '../dto/send.request';
import { chargesOfSend } from '../sends/batch-charges';
import type { PreparedSend } from '../sends/acceptance.service';
import { plannedQuietWait } from '../sends/planned-quiet-wait';
import type { SendPlan } from '../sends/send-plan';
import { SendPlanner } from '../sends/send-planner.service';
import { SendPreparationService } from '../sends/send-preparation.service';
import { type SendSize, sizeOfSend } from '../sends/send-size';
import type { SendEntry } from '../sends/send-validation';

export interface Estimate extends SendSize {
  /** At most 50. */
  readonly offendingCharacters: string[];
  /** One per recipient. */
  readonly messages: number;
  /** SMS parts; an encrypted text counts with its largest size. */
  readonly parts: number;
  /** Absent if the send needs no waves. */
  readonly estimatedCompletionAt?: Date;
  /** What does not leave as soon as it is due. */
  readonly heldBack: HeldBack[];
}

export interface HeldBack {
  readonly reason: WaitReason;
  /** Number of messages. */
  readonly count: number;
  /** When the first of them can leave. */
  readonly until: Date;
}

/** Estimates sends: what a send would be answered, without storing or reserving anything. */
@Injectable()
export class EstimateService {
  constructor(
    private readonly preparation: SendPreparationService,
    private readonly billing: BillingService,
    private readonly planner: SendPlanner,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable, NoEnabledDevice,
   * PlanLimitReached
   */
  async estimate(account: AccountScope, input: SendInput): Promise<Estimate> {
    const prepared = await this.preparation.prepare(account, input);
    const { request, device, plan } = prepared;
    const now = this.clock.now();
    await this.billing.assertWithinLimits(account, plan, { charges: chargesOfSend(request, now), at: now });
    const { entries } = request;
    const sendPlan = this.planner.estimate(request, device);
    const { heldBack, delayMs } = await quietHoursOf(prepared, sendPlan, now);
    const { estimatedCompletionAt } = sendPlan;
    return {
      ...sizeOfSend(input),
      offendingCharacters: offendingCharactersOf(entries),
      messages: sum(entries, ({ recipients }) => recipients.length),
      parts: sum(entries, (entry) => partsOf(entry) * entry.recipients.length),
      ...(estimatedCompletionAt && {
        estimatedCompletionAt: new Date(estimatedCompletionAt.getTime() + delayMs),
      }),
      heldBack,
    };
  }
}

/** Takes about 30 ms. */
const CHECKED_AT_ONCE = 1_000;

/** What waits for quiet hours, by their end, and by how much they delay the send. */
async function quietHoursOf(
  send: Omit<PreparedSend, 'idempotency'>,
  plan: SendPlan,
  now: Date,
): Promise<{ heldBack: HeldBack[]; delayMs: number }> {
  const { request, device } = send;
  const counts = new Map<number, number>();
  let delayMs = 0;
  if (!request.quietHours) return { heldBack: [], delayMs };
  let checked = 0;
  for (const planned of plan.messages()) {
    if (++checked % CHECKED_AT_ONCE === 0) await yieldToOthers();
    const country = dialingCountry(send, device, planned.entry.simSubscriptionId);
    const number = contactNumber(planned.recipient, country);
    const wait = plannedQuietWait(request, device, planned, number, now);
    if (!wait) continue;
    const end = wait.endsAt.getTime();
    counts.set(end, (counts.get(end) ?? 0) + 1);
    delayMs = Math.max(delayMs, wait.delayMs);
  }
  const heldBack = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([end, count]) => ({ reason: 'quiet_hours' as const, count, until: new Date(end) }));
  return { heldBack, delayMs };
}

const sum = (entries: readonly SendEntry[], of: (entry: SendEntry) => number) =>
  entries.reduce((total, entry) => total + of(entry), 0);

function offendingCharactersOf(entries: readonly SendEntry[]): string[] {
  const found = new Set<string>();
  for (const { message } of entries) {
    if (found.size >= MAX_OFFENDING_CHARACTERS) break;
    if (sizeOf(message).encoding === 'UCS-2') {
      for (const character of offendingCharacters(message)) found.add(character);
    }
  }
  return [...found].slice(0, MAX_OFFENDING_CHARACTERS);
}
