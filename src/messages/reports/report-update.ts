import type { PipelineStage, Types } from 'mongoose';
import type { LogIds } from '../../infrastructure/logging/log-ids';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { exists, isMissing } from '../../infrastructure/mongo/exists';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { raisedKey, EVENT_SOURCE_STATUSES } from '../message-event';
import {
  FINAL_STATUSES,
  type OutgoingStatus,
  sourceStatuses,
  SUCCESS_STATUSES,
  UNSETTLED_STATUSES,
} from '../message-status';
import { CONTRADICTED, laterStatusOf } from '../later-reports';
import type { ParsedReport } from './status-report';

/**
 * Once a message has raised this many events, `UNKNOWN_STATE` is not raised again: phones may report any number of
 * different statuses.
 */
const MAX_RAISED_BEFORE_UNKNOWN = 20;

/** Fields that a report sets once. */
const REPORTED_FIELDS = [
  'sentAt',
  'deliveredAt',
  'failedAt',
  'pushReceivedAt',
  'sendAttemptedAt',
  'simSubscriptionId',
] as const;
/** Set only if the message has this status, so that times do not contradict the status. */
const FINAL_TIMES: Partial<Record<(typeof REPORTED_FIELDS)[number], OutgoingStatus>> = {
  deliveredAt: 'delivered',
  failedAt: 'failed',
};

const REPORTED_TIMES = REPORTED_FIELDS.filter((field) => field.endsWith('At'));

export interface MessageReport {
  readonly id: Types.ObjectId;
  readonly report: ParsedReport;
  readonly now: Date;
  readonly cause: Pick<LogIds, 'requestId'>;
}

/** A report on a message of this device. */
export interface DeviceReport extends MessageReport {
  readonly user: Types.ObjectId;
  readonly device: Types.ObjectId;
}

const isCompatible = (field: (typeof REPORTED_FIELDS)[number]) =>
  FINAL_TIMES[field] ? { $eq: ['$newStatus', FINAL_TIMES[field]] } : true;
const when = (condition: unknown, then: unknown, otherwise: unknown) => ({
  $cond: [condition, then, otherwise],
});
const IS_TRANSITION = { $in: ['$status', '$report.sources'] };
const ALLOWS_EVENT = { $in: ['$status', '$report.eventSources'] };
const LATER_REPORTS = { $ifNull: ['$laterReports', []] };
const LATER_STATUSES_BEFORE = { $map: { input: LATER_REPORTS, as: 'each', in: '$$each.status' } };
const append = (list: string, item: string) => ({ $concatArrays: [list, [item]] });

/**
 * Builds one update for many messages. Each changes by its own current state, so reports may arrive in any order,
 * concurrently or repeatedly. The update changes the status if the transition is allowed, sets missing fields that do not
 * contradict the status, and adds the event to the outbox if the status allows it and it was not raised before. A report that
 * contradicts the final status is kept beside it. Of several reports, the first sets the times, and the last the error.
 * @param reports at most one per message.
 * @param writeId id of this write, stored in `movedBy`.
 */
export function reportUpdate(reports: readonly MessageReport[], writeId: Types.ObjectId): PipelineStage[] {
  return [
    {
      // Temporary fields, removed below.
      $set: { report: valuePerDocument(reports, ({ id }) => id, toUpdateInput) },
    },
    {
      $set: {
        isTransition: IS_TRANSITION,
        newStatus: when(IS_TRANSITION, '$report.status', '$status'),
        isFirstSuccess: { $and: [IS_TRANSITION, '$report.isSuccess', isMissing('$countedAt')] },
        isFinal: { $and: [IS_TRANSITION, '$report.isFinal'] },
        storesError: ALLOWS_EVENT,
        isContradiction: {
          $and: [
            exists('$report.contradicted'),
            { $eq: ['$status', '$report.contradicted'] },
            { $not: { $in: ['$report.later.status', LATER_STATUSES_BEFORE] } },
          ],
        },
        raisesEvent: {
          $and: [
            ALLOWS_EVENT,
            isMissing('$deletedAt'),
            { $not: { $in: ['$report.key', '$raised'] } },
            {
              $or: [
                { $ne: ['$report.status', 'unknown'] },
                { $lt: [{ $size: '$raised' }, MAX_RAISED_BEFORE_UNKNOWN] },
              ],
            },
          ],
        },
      },
    },
    {
      $set: {
        fillsTime: {
          $or: REPORTED_TIMES.map((field) => ({
            $and: [exists(`$report.${field}`), isMissing(`$${field}`), isCompatible(field)],
          })),
        },
      },
    },
    {
      $set: {
        settledAt: when(
          { $and: ['$isTransition', { $in: ['$status', UNSETTLED_STATUSES] }] },
          '$report.now',
          coalesce('$settledAt'),
        ),
        status: '$newStatus',
        // A phone has it, so it waits for nothing.
        waitingFor: when({ $eq: ['$newStatus', 'pending'] }, coalesce('$waitingFor'), '$$REMOVE'),
        movedBy: when('$isTransition', writeId, coalesce('$movedBy')),
        countedAt: when('$isFirstSuccess', '$$NOW', coalesce('$countedAt')),
        finalCountedAt: when('$isFinal', '$$NOW', coalesce('$finalCountedAt')),
        ...Object.fromEntries(
          REPORTED_FIELDS.map((field) => [
            field,
            when(isCompatible(field), coalesce(`$${field}`, `$report.${field}`), coalesce(`$${field}`)),
          ]),
        ),
        errorCode: when('$storesError', coalesce('$report.errorCode', '$errorCode'), coalesce('$errorCode')),
        errorMessage: when(
          // A deleted message gets no text back.
          { $and: ['$storesError', isMissing('$deletedAt')] },
          coalesce('$report.errorMessage', '$errorMessage'),
          coalesce('$errorMessage'),
        ),
        laterReports: when(
          '$isContradiction',
          { $concatArrays: [LATER_REPORTS, ['$report.later']] },
          coalesce('$laterReports'),
        ),
        raised: when('$raisesEvent', append('$raised', '$report.key'), '$raised'),
        outbox: when('$raisesEvent', append('$outbox', '$report.entry'), '$outbox'),
        relayDueAt: when('$raisesEvent', coalesce('$relayDueAt', '$report.now'), coalesce('$relayDueAt')),
        updatedAt: when(
          { $or: ['$isTransition', '$raisesEvent', '$fillsTime', '$isContradiction'] },
          '$report.now',
          '$updatedAt',
        ),
      },
    },
    {
      $unset: [
        'report',
        'isTransition',
        'newStatus',
        'isFirstSuccess',
        'isFinal',
        'storesError',
        'isContradiction',
        'raisesEvent',
        'fillsTime',
      ],
    },
    // A phone that reports on a message has received it, so it is not redelivered, and moves to no other phone.
    { $unset: ['redeliverUntil', 'moveDueAt', 'giveUpAt'] },
  ];
}

function toUpdateInput({ report, now, cause: { requestId } }: MessageReport) {
  const { status, event, reportedStatus, times, simSubscriptionId, errorCode, errorMessage } = report;
  const laterStatus = laterStatusOf(reportedStatus ?? status);
  return {
    ...withoutEmpty({ ...times, simSubscriptionId, errorCode, errorMessage }),
    ...(laterStatus && {
      contradicted: CONTRADICTED[laterStatus],
      later: withoutEmpty({ status: laterStatus, at: now, errorCode }),
    }),
    status,
    now,
    sources: sourceStatuses(status),
    isSuccess: SUCCESS_STATUSES.includes(status),
    isFinal: FINAL_STATUSES.includes(status),
    eventSources: EVENT_SOURCE_STATUSES[event],
    key: raisedKey(event, reportedStatus),
    entry: withoutEmpty({ event, reportedStatus, at: now, requestId }),
  };
}

function withoutEmpty(fields: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
