import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import { writeManyWithRetry } from '../../infrastructure/mongo/database-outage';
import { Message } from '../message.schema';
import { type OutgoingStatus, sourceStatuses } from '../message-status';
import { type MessageReport, reportUpdate } from './report-update';

/** A report on a message of this device. */
export interface DeviceReport extends MessageReport {
  readonly user: Types.ObjectId;
  readonly device: Types.ObjectId;
}

export interface AppliedReport {
  readonly hasMoved: boolean;
  /** Whether the message was added to the device's total by this report. */
  readonly isNewlyCounted: boolean;
}

/** Reports do not change messages that are being removed. */
const REPORTABLE = { direction: 'sent', removal: { $exists: false } } as const;

/** Applies status reports to messages. */
@Injectable()
export class ReportsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Applies reports, those on the same message in order.
   * @returns one result per report, in the same order; undefined if the device has no such message.
   */
  async apply(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = new Map<DeviceReport, AppliedReport | undefined>();
    for (let left = reports; left.length > 0; left = left.filter((report) => !applied.has(report))) {
      const firstPerMessage = [
        ...new Map(left.toReversed().map((report) => [String(report.id), report])).values(),
      ];
      const results = await this.applyBatch(firstPerMessage);
      for (const [index, report] of firstPerMessage.entries()) applied.set(report, results[index]);
    }
    return reports.map((report) => applied.get(report));
  }

  /**
   * A single write if all messages are in the expected state. Otherwise the update, which is idempotent, runs again
   * without that condition, and the results are read from the messages.
   */
  private async applyBatch(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const by = new Types.ObjectId();
    const update = reportUpdate(reports, by);
    const { collection } = this.messages;
    const write = (filter: object) => writeManyWithRetry(() => collection.updateMany(filter, update));
    const { matchedCount } = await write(reportedMessages(reports, expectedState));
    if (matchedCount === reports.length) {
      return reports.map(({ report }) => ({ hasMoved: true, isNewlyCounted: report.to === 'sent' }));
    }
    const anyState = reportedMessages(reports, () => ({}));
    await write(anyState);
    const found = await this.messages
      .find(anyState, { movedBy: 1, countedBy: 1 })
      .lean<Pick<Message, '_id' | 'movedBy' | 'countedBy'>[]>();
    const messages = new Map(found.map((message) => [String(message._id), message]));
    return reports.map(({ id }) => {
      const message = messages.get(String(id));
      return (
        message && {
          hasMoved: by.equals(message.movedBy),
          isNewlyCounted: by.equals(message.countedBy),
        }
      );
    });
  }
}

function reportedMessages(reports: readonly DeviceReport[], stateCondition: (to: OutgoingStatus) => object) {
  const groups = groupBy(reports, ({ user, device, report }) => [user, device, report.to].join(' '));
  return {
    ...REPORTABLE,
    _id: { $in: reports.map(({ id }) => id) },
    $or: [...groups.values()].map((group) => ({
      user: group[0]?.user,
      device: group[0]?.device,
      _id: { $in: group.map(({ id }) => id) },
      ...stateCondition(group[0]?.report.to ?? 'unknown'),
    })),
  };
}

/** The usual state of a message before this report; its result is known without reading the message. */
function expectedState(to: OutgoingStatus): object {
  const status = { $in: sourceStatuses(to) };
  if (to === 'sent') return { status, countedAt: { $exists: false } };
  if (to === 'delivered') return { status: 'sent', countedAt: { $exists: true } };
  return { status };
}
