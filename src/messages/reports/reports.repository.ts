import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../maintenance/rollups/periods';
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
}

/** Earlier versions mark the messages that they remove. */
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
   * results; both writes share `writeId`.
   */
  private async applyBatch(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const writeId = new Types.ObjectId();
    const update = reportUpdate(reports, writeId);
    const { collection } = this.messages;
    const maxTimeMS = COUNTING_WRITE_TIMEOUT_MS;
    const write = (filter: object) =>
      writeManyWithRetry(() => collection.updateMany(filter, update, { maxTimeMS }));
    const { matchedCount } = await write(reportedMessages(reports, expectedState));
    if (matchedCount === reports.length) {
      return reports.map(() => ({ hasChangedStatus: true }));
    }
    const anyState = reportedMessages(reports, () => ({}));
    await write(anyState);
    const found = await this.messages
      .find(anyState, { movedBy: 1 })
      .lean<Pick<Message, '_id' | 'movedBy'>[]>();
    const messages = new Map(found.map((message) => [String(message._id), message]));
    return reports.map(({ id }) => {
      const message = messages.get(String(id));
      return message && { hasChangedStatus: writeId.equals(message.movedBy) };
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
  return { status: { $in: sourceStatuses(reported) } };
}
