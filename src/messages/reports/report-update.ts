import type { PipelineStage, Types } from 'mongoose';
import type { LogIds } from '../../infrastructure/logging/log-ids';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { raisedKey, EVENT_SOURCE_STATUSES } from '../outbox/message-event';
import { type OutgoingStatus, sourceStatuses, SUCCESS_STATUSES, UNSETTLED_STATUSES } from '../message-status';
import type { ParsedReport } from './status-report';

/** Maximum `UNKNOWN_STATE` events per message: phones may report any number of different statuses. */
const MAX_RAISED_EVENTS = 20;

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

const isMissing = (field: string) => ({ $eq: [{ $type: field }, 'missing'] });
const exists = (field: string) => ({ $ne: [{ $type: field }, 'missing'] });
const isCompatible = (field: (typeof REPORTED_FIELDS)[number]) =>
  FINAL_TIMES[field] ? { $eq: ['$newStatus', FINAL_TIMES[field]] } : true;
/** The first of these fields that exists. */
const first = (...fields: string[]) => ({ $ifNull: [...fields, '$$REMOVE'] });
const when = (condition: unknown, then: unknown, otherwise: unknown) => ({
  $cond: [condition, then, otherwise],
});
const append = (list: string, item: string) => ({ $concatArrays: [list, [item]] });

/**
 * Builds one update that applies reports to their messages. Each message changes according to its current state, so
 * reports may arrive in any order, concurrently and repeatedly. The update changes the status if the transition is
 * allowed, sets missing fields that do not contradict the status, and adds the event to the outbox unless it was raised.
 * @param reports on different messages.
 * @param by id of this write, stored in `movedBy` and `countedBy`.
 */
export function reportUpdate(reports: readonly MessageReport[], by: Types.ObjectId): PipelineStage[] {
  return [
    {
      // Temporary fields, removed by the last stage.
      $set: { report: valuePerDocument(reports, ({ id }) => id, toUpdateInput) },
    },
    {
      $set: {
        moves: { $in: ['$status', '$report.sources'] },
        newStatus: when({ $in: ['$status', '$report.sources'] }, '$report.to', '$status'),
        counts: {
          $and: [{ $in: ['$status', '$report.sources'] }, '$report.succeeds', isMissing('$countedAt')],
        },
        records: { $in: ['$status', '$report.raisedFrom'] },
        raises: {
          $and: [
            { $in: ['$status', '$report.raisedFrom'] },
            { $not: { $in: ['$report.key', '$raised'] } },
            {
              $or: [{ $ne: ['$report.to', 'unknown'] }, { $lt: [{ $size: '$raised' }, MAX_RAISED_EVENTS] }],
            },
          ],
        },
      },
    },
    {
      $set: {
        fills: {
          $or: REPORTED_TIMES.map((field) => ({
            $and: [exists(`$report.${field}`), isMissing(`$${field}`), isCompatible(field)],
          })),
        },
      },
    },
    {
      $set: {
        settledAt: when(
          { $and: ['$moves', { $in: ['$status', UNSETTLED_STATUSES] }] },
          '$report.now',
          first('$settledAt'),
        ),
        status: '$newStatus',
        movedBy: when('$moves', by, first('$movedBy')),
        countedAt: when('$counts', '$report.now', first('$countedAt')),
        countedBy: when('$counts', by, first('$countedBy')),
        ...Object.fromEntries(
          REPORTED_FIELDS.map((field) => [
            field,
            when(isCompatible(field), first(`$${field}`, `$report.${field}`), first(`$${field}`)),
          ]),
        ),
        errorCode: when('$records', first('$report.errorCode', '$errorCode'), first('$errorCode')),
        errorMessage: when(
          '$records',
          first('$report.errorMessage', '$errorMessage'),
          first('$errorMessage'),
        ),
        raised: when('$raises', append('$raised', '$report.key'), '$raised'),
        outbox: when('$raises', append('$outbox', '$report.entry'), '$outbox'),
        relayDueAt: when('$raises', first('$relayDueAt', '$report.now'), first('$relayDueAt')),
        updatedAt: when({ $or: ['$moves', '$raises', '$fills'] }, '$report.now', '$updatedAt'),
      },
    },
    // A phone that reports on a message has received it, so it is not redelivered.
    { $unset: ['report', 'moves', 'newStatus', 'counts', 'records', 'raises', 'fills', 'offerUntil'] },
  ];
}

function toUpdateInput({ report, now, cause: { requestId } }: MessageReport) {
  const { to, event, reportedStatus, times, simUsed, errorCode, errorMessage } = report;
  return {
    ...withoutEmpty({ ...times, simSubscriptionId: simUsed, errorCode, errorMessage }),
    to,
    now,
    sources: sourceStatuses(to),
    succeeds: SUCCESS_STATUSES.includes(to),
    raisedFrom: EVENT_SOURCE_STATUSES[event],
    key: raisedKey(event, reportedStatus),
    entry: withoutEmpty({ event, reportedStatus, at: now, requestId }),
  };
}

function withoutEmpty(fields: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
