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
  readonly hasChangedStatus: boolean;
  /** The caller must add the message to the device's total. */
  readonly mustCount: boolean;
}

/** Reports do not change messages that are being removed. */
const REPORTABLE = { direction: 'sent', removal: { $exists: false } } as const;

@Injectable()
export class ReportsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Applies reports, those on the same message in order.
   * @returns one result per report, in the same order; undefined if the device has no such message.
   */
  async apply(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = new Map<DeviceReport, AppliedReport | undefined>();
    let remaining = reports;
    while (remaining.length > 0) {
      const firstPerMessage = [
        ...new Map(remaining.toReversed().map((report) => [String(report.id), report])).values(),
      ];
      const results = await this.applyBatch(firstPerMessage);
      for (const [index, report] of firstPerMessage.entries()) applied.set(report, results[index]);
      remaining = remaining.filter((report) => !applied.has(report));
    }
    return reports.map((report) => applied.get(report));
  }

  /**
   * Tries one write for messages in the expected state. If any is not, repeats it without that condition and reads the
   * results; both writes share `writeId`, so the first still counts.
   */
  private async applyBatch(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const writeId = new Types.ObjectId();
    const update = reportUpdate(reports, writeId);
    const { collection } = this.messages;
    const write = (filter: object) => writeManyWithRetry(() => collection.updateMany(filter, update));
    const { matchedCount } = await write(reportedMessages(reports, expectedState));
    if (matchedCount === reports.length) {
      return reports.map(({ report }) => ({ hasChangedStatus: true, mustCount: report.status === 'sent' }));
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
          hasChangedStatus: writeId.equals(message.movedBy),
          mustCount: writeId.equals(message.countedBy),
        }
      );
    });
  }
}

function reportedMessages(
  reports: readonly DeviceReport[],
  stateCondition: (status: OutgoingStatus) => object,
) {
  const groups = groupBy(reports, ({ user, device, report }) => [user, device, report.status].join(' '));
  return {
    ...REPORTABLE,
    _id: { $in: reports.map(({ id }) => id) },
    $or: [...groups.values()].map((group) => ({
      user: group[0]?.user,
      device: group[0]?.device,
      _id: { $in: group.map(({ id }) => id) },
      ...stateCondition(group[0]?.report.status ?? 'unknown'),
    })),
  };
}

/** The usual state of a message before this report; its result is known without reading the message. */
function expectedState(reported: OutgoingStatus): object {
  const status = { $in: sourceStatuses(reported) };
  if (reported === 'sent') return { status, countedAt: { $exists: false } };
  if (reported === 'delivered') return { status: 'sent', countedAt: { $exists: true } };
  return { status };
}
