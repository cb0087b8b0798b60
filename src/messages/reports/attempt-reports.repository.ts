import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, Types } from 'mongoose';
import { writeManyWithRetry } from '../../common/database-outage';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { endAttemptUpdate, MAX_ENDED_ATTEMPTS, MOVE_DELAY_MS, wasNotSent } from '../ended-attempt';
import { Message, type OutgoingMessage } from '../message.schema';
import { SUCCESS_STATUSES } from '../message-status';
import { partsOf } from '../text/segments';
import { type DeviceReport, reportUpdate } from './report-update';

/** A wave with a message that is due to move. */
export interface DueMove {
  readonly batch: Types.ObjectId;
  readonly wave: number;
  readonly dueAt: Date;
}

export interface AppliedReport {
  readonly hasChangedStatus: boolean;
  /** It contradicts the final status, and is kept beside it. */
  readonly isContradiction?: boolean;
  /** The message was not sent, and moves to another SIM. */
  readonly move?: DueMove;
}

/** What a report on an attempt is decided by. */
export type ReportedMessage = Pick<
  OutgoingMessage,
  '_id' | 'device' | 'message' | 'encryptedMessage' | 'smsBatch'
> &
  Pick<Message, 'movedBy' | 'pool' | 'attempts' | 'moveDueAt' | 'wave' | 'laterReports'>;

/** A failure of a phone that means that it has sent nothing of a message of one part. */
export const isNotSent = ({ report }: Pick<DeviceReport, 'report'>): boolean =>
  report.status === 'failed' && wasNotSent(report.errorCode);

/** Applies the reports that concern an attempt to send a message, not the message. */
@Injectable()
export class AttemptReportsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Applies a report from the phone of an earlier attempt, or that an attempt has failed. An earlier phone may have sent the
   * message after all; what else it reports changes nothing.
   */
  async apply(deviceReport: DeviceReport, message: ReportedMessage): Promise<AppliedReport> {
    const isCurrent = message.device.equals(deviceReport.device);
    if (!isCurrent && SUCCESS_STATUSES.includes(deviceReport.report.status))
      return this.applySent(deviceReport);
    if (!isCurrent || hasEnded(message)) return { hasChangedStatus: false };
    return (await this.endAttempt(deviceReport, message)) ?? this.fail(deviceReport);
  }

  private applySent(deviceReport: DeviceReport): Promise<AppliedReport> {
    const { device, now } = deviceReport;
    const isOfDevice = { $eq: ['$$each.device', device] };
    const marked = { $cond: [isOfDevice, { $mergeObjects: ['$$each', { sentAt: now }] }, '$$each'] };
    return this.write(deviceReport, { 'attempts.device': device }, [
      { $set: { attempts: { $map: { input: '$attempts', as: 'each', in: marked } } } },
    ]);
  }

  private fail(deviceReport: DeviceReport): Promise<AppliedReport> {
    const { device, report } = deviceReport;
    // A failure that the phone has corrected since may come once more, such as by a process that was frozen.
    const isCorrected = {
      status: { $in: SUCCESS_STATUSES },
      attempts: { $elemMatch: { device, outcome: 'not_sent', code: report.errorCode ?? '' } },
    };
    return this.write(deviceReport, { device, moveDueAt: { $exists: false }, $nor: [isCorrected] });
  }

  /** @returns undefined if the message may have been sent, or does not move. */
  private async endAttempt(
    { id, user, device, report, now }: DeviceReport,
    message: ReportedMessage,
  ): Promise<AppliedReport | undefined> {
    const { pool, attempts = [], smsBatch, wave } = message;
    if (!pool || wave === undefined || attempts.length >= MAX_ENDED_ATTEMPTS || partsOf(message) > 1)
      return undefined;
    const moveDueAt = new Date(now.getTime() + MOVE_DELAY_MS);
    const end = { outcome: 'not_sent', code: report.errorCode ?? '', endedAt: now, moveDueAt } as const;
    const { modifiedCount } = await this.messages.updateOne(
      {
        _id: id,
        user,
        device,
        moveDueAt: { $exists: false },
        cancelRequestedAt: { $exists: false },
        // A phone may report before its push has a result.
        $or: [{ status: 'dispatched' }, { status: 'pending', pushStartedAt: { $exists: true } }],
      },
      [
        ...endAttemptUpdate(end),
        { $set: { status: 'dispatched', dispatchedAt: { $ifNull: ['$dispatchedAt', now] } } },
        { $unset: 'unavailableSince' },
      ],
      { updatePipeline: true },
    );
    if (modifiedCount === 0) return undefined;
    return { hasChangedStatus: false, move: { batch: smsBatch, wave, dueAt: moveDueAt } };
  }

  private async write(
    deviceReport: DeviceReport,
    condition: object,
    stages: PipelineStage.Set[] = [],
  ): Promise<AppliedReport> {
    const writeId = new Types.ObjectId();
    const update = [...reportUpdate([deviceReport], writeId), ...stages];
    const options = { maxTimeMS: COUNTING_WRITE_TIMEOUT_MS, projection: { movedBy: 1 } } as const;
    const { id, user } = deviceReport;
    const written = await writeManyWithRetry(() =>
      this.messages.collection.findOneAndUpdate({ ...condition, _id: id, user }, update, {
        ...options,
        returnDocument: 'after',
      }),
    );
    return { hasChangedStatus: writeId.equals(written?.movedBy as Types.ObjectId | undefined) };
  }
}

/** Whether the attempt of the current phone has ended, or an earlier one had sent the message. */
const hasEnded = ({ moveDueAt, attempts = [] }: ReportedMessage) =>
  moveDueAt !== undefined || attempts.some(({ sentAt }) => sentAt);
