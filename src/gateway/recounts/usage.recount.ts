import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { chargesOf, monthOf, usedIn, usedOn } from '../../billing/usage/day-charge';
import { periodOf, spanOfDay, spanOfMonth, type UsagePeriod } from '../../billing/usage/usage-period';
import { type CountedUsage, UsageRecountRepository } from '../../billing/usage/usage-recount.repository';
import { MAX_REMEMBERED_IDS } from '../../billing/usage/usage.repository';
import type { Usage } from '../../billing/usage/usage.schema';
import { Clock } from '../../common/clock';
import { type Drift, driftBy, type Recount } from '../../common/upkeep/recount';
import { RemovalsRepository } from '../../common/upkeep/removals.repository';
import { DevicesRepository } from '../../devices/devices.repository';
import {
  MessageCountsRepository,
  type Span,
  type UnsettledBatch,
} from '../../messages/message-counts.repository';
import { MESSAGE_REMOVAL } from '../../messages/message.schema';
import { chargesOfBatch } from '../sends/batch-charges';

/**
 * What each account has used of its plan, in the month that is running: recipients of batches without those that were
 * cancelled, and received messages. A batch is charged before it is accepted; one that is not accepted yet counts if
 * its reservation is on record, which stands in the same document as the counts.
 */
@Injectable()
export class UsageRecount implements Recount {
  readonly name = 'usage';

  constructor(
    private readonly usages: UsageRecountRepository,
    private readonly devices: DevicesRepository,
    private readonly messages: MessageCountsRepository,
    private readonly removals: RemovalsRepository,
    private readonly clock: Clock,
  ) {}

  listAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    return this.usages.listAccountsAfter(after, limit);
  }

  async look(user: Types.ObjectId): Promise<'right' | 'unclear' | Drift> {
    const account = accountScope(user);
    const usage = await this.usages.find(account);
    const now = periodOf(this.clock.now());
    // Counts of a month or a day that is over are read by nobody, and begin anew with the next charge.
    if (usage?.month !== now.month) return 'right';
    // A removal that begins after this moves what the count stands on, and then nothing is mended.
    if (await this.removals.isUnderWay(MESSAGE_REMOVAL, user)) return 'unclear';
    const [month, day] = [spanOfMonth(usage), spanOfDay(usage)];
    // Before the accepted ones: a batch that is accepted in between must not be missed, nor counted twice.
    const unsettled = await this.messages.listUnsettled(account);
    const ids = unsettled.map(({ _id }) => _id);
    const accepted = await this.messages.sumCharged(account, month, day, ids);
    if (accepted.cancelling > 0 || unsettled.some((batch) => isDoubtful(batch, usage))) return 'unclear';
    const scheduled = new Map(await this.messages.sumScheduled(account, month, ids));
    const reserved = unsettled.filter(({ _id }) => holds(usage.reserved, _id)).flatMap(chargesOfBatch);
    for (const { day: charged, count } of [...chargesOf(usage.removedDays), ...reserved]) {
      scheduled.set(charged, (scheduled.get(charged) ?? 0) + count);
    }
    const removed = usage.removed?.month === usage.month ? usage.removed.count : 0;
    const received = await this.received(account, month, day);
    // Where nothing was charged yet today, what is reserved for it still stands among the days to come.
    const isCounted = (charged: string) => (usage.day === now.day ? charged <= now.day : charged < now.day);
    const due = [...scheduled].filter(([charged]) => isCounted(charged) && monthOf(charged) === now.month);
    const counted = {
      dayCount:
        usage.day === now.day ? accepted.part + (scheduled.get(now.day) ?? 0) + received.day : usage.dayCount,
      monthCount: removed + accepted.all + due.reduce((sum, [, count]) => sum + count, 0) + received.month,
      days: Object.fromEntries([...scheduled].filter(([charged, count]) => !isCounted(charged) && count > 0)),
    };
    return driftBy(driftOf(usage, counted, now), async () => {
      const existing = await this.messages.findExisting(account, usage.reserved);
      const gone = usage.reserved.filter((id) => !holds(existing, id));
      return this.usages.mend(usage, counted, gone);
    });
  }

  private async received(
    account: AccountScope,
    month: Span,
    day: Span,
  ): Promise<Record<'month' | 'day', number>> {
    const devices = (await this.devices.findForMessages(account)).map(({ _id }) => _id);
    return {
      month: await this.messages.countOfDevices(account, devices, 'received', month),
      day: await this.messages.countOfDevices(account, devices, 'received', day),
    };
  }
}

const holds = (ids: readonly Types.ObjectId[], id: Types.ObjectId): boolean =>
  ids.some((each) => each.equals(id));

/** Whether a batch that is being accepted may have reserved so long ago that it is no longer on record. */
function isDoubtful({ _id, acceptance }: UnsettledBatch, { reserved }: Usage): boolean {
  return acceptance === 'accepting' && reserved.length >= MAX_REMEMBERED_IDS && !holds(reserved, _id);
}

/** What must be added to the day's, the month's and the coming days' counts, however they are spread. */
function driftOf(usage: Usage, counted: CountedUsage, now: UsagePeriod): Drift['by'] {
  const right = { day: usage.day, month: usage.month, ...counted };
  const ahead = new Set(
    [usage, right].flatMap(({ days }) => Object.keys(days ?? {})).filter((day) => day > now.day),
  );
  return {
    day: usedOn(right, now.day) - usedOn(usage, now.day),
    month: usedIn(right, now.month) - usedIn(usage, now.month),
    ahead: [...ahead].reduce((sum, day) => sum + Math.abs(usedOn(right, day) - usedOn(usage, day)), 0),
  };
}
