import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { groupBy, roundsOf } from '../../common/group-by';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { writeManyWithRetry } from '../../common/database-outage';
import { Message } from '../message.schema';
import { sourceStatuses } from '../message-status';
import {
  type AppliedReport,
  AttemptReportsRepository,
  isNotSent,
  type ReportedMessage,
} from './attempt-reports.repository';
import { type DeviceReport, reportUpdate } from './report-update';

const REPORTABLE = { direction: 'sent' } as const;

/** Applies status reports to messages. */
@Injectable()
export class ReportsRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    private readonly attempts: AttemptReportsRepository,
  ) {}

  /**
   * Applies reports, those on the same message in order.
   * @returns one result per report, in the same order; undefined if the device has no such message.
   */
  async apply(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = new Map<DeviceReport, AppliedReport | undefined>();
    for (const round of roundsOf(reports, ({ id }) => String(id))) {
      const results = await this.applyBatch(round);
      for (const [index, report] of round.entries()) applied.set(report, results[index]);
    }
    return reports.map((report) => applied.get(report));
  }

  /**
   * Tries one write for messages in the expected state. If any is not, repeats it for all states to which the reports apply,
   * and reads the results; both writes share `writeId`.
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
    await write(reportedMessages(reports, applicableState));
    const found = await this.messages
      .find(ofDevices(reports), reports.some(isNotSent) ? { ...REPORTED, ...TEXTS } : REPORTED)
      .lean<ReportedMessage[]>();
    const messages = new Map(found.map((message) => [String(message._id), message]));
    return Promise.all(
      reports.map(async (report) => {
        const message = messages.get(String(report.id));
        if (!message) return undefined;
        const isApplied = writeId.equals(message.movedBy);
        return isApplied || !concernsAttempt(report, message)
          ? { hasChangedStatus: isApplied, isContradiction: isKeptBeside(report, message) }
          : this.attempts.apply(report, message);
      }),
    );
  }
}

const REPORTED = {
  movedBy: 1,
  device: 1,
  pool: 1,
  attempts: 1,
  moveDueAt: 1,
  smsBatch: 1,
  wave: 1,
  laterReports: 1,
} as const;
const TEXTS = { message: 1, encryptedMessage: 1 } as const;

function reportedMessages(
  reports: readonly DeviceReport[],
  stateCondition: (report: DeviceReport) => object,
) {
  const groups = groupBy(reports, (each) =>
    [each.user, each.device, each.report.status, isNotSent(each)].join(' '),
  );
  return {
    ...REPORTABLE,
    _id: { $in: reports.map(({ id }) => id) },
    $or: [...groups.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { user, device } = first;
      return [{ user, device, _id: { $in: group.map(({ id }) => id) }, ...stateCondition(first) }];
    }),
  };
}

/** The messages of the devices, and those that they had in an earlier attempt. */
function ofDevices(reports: readonly DeviceReport[]) {
  return {
    ...REPORTABLE,
    _id: { $in: reports.map(({ id }) => id) },
    $or: reports.flatMap(({ user, device, id }) => [
      { user, device, _id: id },
      { user, 'attempts.device': device, _id: id },
    ]),
  };
}

const isKeptBeside = ({ now }: DeviceReport, { laterReports = [] }: ReportedMessage): boolean =>
  laterReports.some(({ at }) => at.getTime() === now.getTime());

/** The usual state of a message before this report; its result is known without reading the message. */
function expectedState(deviceReport: DeviceReport): object {
  return { status: { $in: sourceStatuses(deviceReport.report.status) }, ...applicableState(deviceReport) };
}

/** The state in which a report applies to the message, and not to an attempt only; see `AttemptReportsRepository`. */
function applicableState(deviceReport: DeviceReport): object {
  if (deviceReport.report.status !== 'failed') return {};
  return {
    moveDueAt: { $exists: false },
    'attempts.sentAt': { $exists: false },
    ...(isNotSent(deviceReport) && { pool: { $exists: false } }),
  };
}

/** Whether a report applies to an attempt only: the opposite of `applicableState`. */
function concernsAttempt(
  deviceReport: DeviceReport,
  { device, pool, moveDueAt, attempts = [] }: ReportedMessage,
) {
  if (!device.equals(deviceReport.device)) return true;
  if (deviceReport.report.status !== 'failed') return false;
  return (
    moveDueAt !== undefined ||
    attempts.some(({ sentAt }) => sentAt) ||
    (pool !== undefined && isNotSent(deviceReport))
  );
}
