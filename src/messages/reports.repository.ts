import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { groupBy } from '../common/group-by';
import { writeManySafely } from '../common/persistence/database-outage';
import { Message } from './message.schema';
import { type OutgoingStatus, sourcesOf } from './message-status';
import { type ReportOnMessage, reportUpdate } from './report-update';

/** A report of a phone of this account. */
export interface AskedReport extends ReportOnMessage {
  readonly user: Types.ObjectId;
  readonly device: Types.ObjectId;
}

export interface AppliedReport {
  readonly hasMoved: boolean;
  /** It counts in the device's total from now on. */
  readonly isNewlyCounted: boolean;
}

/** What can be reported on. To reports a message is gone once it is being removed. */
const REPORTABLE = { direction: 'sent', removal: { $exists: false } } as const;

/** Applies phones' reports to their messages. */
@Injectable()
export class ReportsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Applies reports: those on different messages together, and of several on one message each on what the one before
   * it left.
   * @returns for each what became of it, in the same order; undefined when the device has no such message.
   */
  async apply(asked: readonly AskedReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = new Map<AskedReport, AppliedReport | undefined>();
    for (let left = asked; left.length > 0; left = left.filter((one) => !applied.has(one))) {
      const together = [...new Map(left.toReversed().map((one) => [String(one.id), one])).values()];
      const answers = await this.applyTogether(together);
      for (const [index, one] of together.entries()) applied.set(one, answers[index]);
    }
    return asked.map((one) => applied.get(one));
  }

  /**
   * One write where all find what they usually find. Else it is made again for whatever they find, changing nothing of
   * what it has done already, and then it is read what became of them.
   */
  private async applyTogether(reports: readonly AskedReport[]): Promise<(AppliedReport | undefined)[]> {
    const by = new Types.ObjectId();
    const update = reportUpdate(reports, by);
    // Past Mongoose, straight to the driver: there is nothing to cast.
    const { collection } = this.messages;
    const write = (these: object) => writeManySafely(() => collection.updateMany(these, update));
    const { matchedCount } = await write(oneOf(reports, usuallyFound));
    if (matchedCount === reports.length) {
      return reports.map(({ report }) => ({ hasMoved: true, isNewlyCounted: report.to === 'sent' }));
    }
    const these = oneOf(reports, () => ({}));
    await write(these);
    const found = await this.messages
      .find(these, { movedBy: 1, countedBy: 1 })
      .lean<Pick<Message, '_id' | 'movedBy' | 'countedBy'>[]>();
    const reportedOn = new Map(found.map((message) => [String(message._id), message]));
    return reports.map(({ id }) => {
      const message = reportedOn.get(String(id));
      return (
        message && {
          hasMoved: by.equals(message.movedBy),
          isNewlyCounted: by.equals(message.countedBy),
        }
      );
    });
  }
}

/** The messages that are reported on, each of the phone that reports, as far as they are as this kind of report wants. */
function oneOf(reports: readonly AskedReport[], wanted: (to: OutgoingStatus) => object) {
  const alike = groupBy(reports, ({ user, device, report }) => [user, device, report.to].join(' '));
  return {
    ...REPORTABLE,
    _id: { $in: reports.map(({ id }) => id) },
    $or: [...alike.values()].map((group) => ({
      user: group[0]?.user,
      device: group[0]?.device,
      _id: { $in: group.map(({ id }) => id) },
      ...wanted(group[0]?.report.to ?? 'unknown'),
    })),
  };
}

/** The state in which a report usually finds its message, and in which it is known what it does there. */
function usuallyFound(to: OutgoingStatus): object {
  const status = { $in: sourcesOf(to) };
  if (to === 'sent') return { status, countedAt: { $exists: false } };
  if (to === 'delivered') return { status: 'sent', countedAt: { $exists: true } };
  return { status };
}
