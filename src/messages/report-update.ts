import type { PipelineStage, Types } from 'mongoose';
import type { LogIds } from '../common/log-ids';
import { ofEach } from '../common/persistence/of-each';
import { raisedKey, RAISED_FROM } from './message-event';
import { type OutgoingStatus, sourcesOf, SUCCEEDED, UNSETTLED } from './message-status';
import type { ReadReport } from './status-report';

/** The most unknown statuses of one message that are told: what phones report is not the server's to bound otherwise. */
const MOST_RAISED = 20;

/** What a report can say of its message, each where nothing is known yet. */
const FILLED = [
  'sentAt',
  'deliveredAt',
  'failedAt',
  'pushReceivedAt',
  'sendAttemptedAt',
  'simSubscriptionId',
] as const;
/** Times that say how a message ended: filled only where it has this status, so that none contradicts the status. */
const FINAL_TIMES: Partial<Record<(typeof FILLED)[number], OutgoingStatus>> = {
  deliveredAt: 'delivered',
  failedAt: 'failed',
};

/** Of these a time is news of the message. */
const TIMES = FILLED.filter((field) => field.endsWith('At'));

/** A report on the message with this id. */
export interface ReportOnMessage {
  readonly id: Types.ObjectId;
  readonly report: ReadReport;
  /** When it came. */
  readonly now: Date;
  /** The request that brought it. */
  readonly cause: Pick<LogIds, 'requestId'>;
}

const isMissing = (field: string) => ({ $eq: [{ $type: field }, 'missing'] });
const isThere = (field: string) => ({ $ne: [{ $type: field }, 'missing'] });
/** Whether the status that stands after this report leaves room for the time or fact in this field. */
const fits = (field: (typeof FILLED)[number]) =>
  FINAL_TIMES[field] ? { $eq: ['$stands', FINAL_TIMES[field]] } : true;
/** The first of these that is there. */
const first = (...fields: string[]) => ({ $ifNull: [...fields, '$$REMOVE'] });
const when = (condition: unknown, then: unknown, otherwise: unknown) => ({
  $cond: [condition, then, otherwise],
});
const append = (list: string, item: string) => ({ $concatArrays: [list, [item]] });

/**
 * The update that reports make on their messages: one write for all of them, decided by the database for each message
 * on the state it finds there, so that reports may come in any order, repeated, and at once. It moves the message if the
 * table of moves allows it, fills the times that are missing and do not contradict the status, and puts the event into the outbox if it is still owed.
 * @param reports on different messages.
 * @param by identifies the write: what it did is read off `movedBy` and `countedBy`.
 */
export function reportUpdate(reports: readonly ReportOnMessage[], by: Types.ObjectId): PipelineStage[] {
  return [
    {
      // Scratch for the next stages; gone in the last.
      $set: { report: ofEach(reports, ({ id }) => id, said) },
    },
    {
      $set: {
        moves: { $in: ['$status', '$report.sources'] },
        stands: when({ $in: ['$status', '$report.sources'] }, '$report.to', '$status'),
        counts: {
          $and: [{ $in: ['$status', '$report.sources'] }, '$report.succeeds', isMissing('$countedAt')],
        },
        records: { $in: ['$status', '$report.raisedFrom'] },
        raises: {
          $and: [
            { $in: ['$status', '$report.raisedFrom'] },
            { $not: { $in: ['$report.key', '$raised'] } },
            {
              $or: [{ $ne: ['$report.to', 'unknown'] }, { $lt: [{ $size: '$raised' }, MOST_RAISED] }],
            },
          ],
        },
      },
    },
    {
      $set: {
        fills: {
          $or: TIMES.map((field) => ({
            $and: [isThere(`$report.${field}`), isMissing(`$${field}`), fits(field)],
          })),
        },
      },
    },
    {
      $set: {
        settledAt: when(
          { $and: ['$moves', { $in: ['$status', UNSETTLED] }] },
          '$report.now',
          first('$settledAt'),
        ),
        status: '$stands',
        movedBy: when('$moves', by, first('$movedBy')),
        countedAt: when('$counts', '$report.now', first('$countedAt')),
        countedBy: when('$counts', by, first('$countedBy')),
        ...Object.fromEntries(
          FILLED.map((field) => [
            field,
            when(fits(field), first(`$${field}`, `$report.${field}`), first(`$${field}`)),
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
    // Whoever reports on a message has it: it need not be offered again.
    { $unset: ['report', 'moves', 'stands', 'counts', 'records', 'raises', 'fills', 'offerUntil'] },
  ];
}

/** A report as the update reads it. */
function said({ report, now, cause: { requestId } }: ReportOnMessage) {
  const { to, event, reportedStatus, times, simUsed, errorCode, errorMessage } = report;
  return {
    ...withoutUnsaid({ ...times, simSubscriptionId: simUsed, errorCode, errorMessage }),
    to,
    now,
    sources: sourcesOf(to),
    succeeds: SUCCEEDED.includes(to),
    raisedFrom: RAISED_FROM[event],
    key: raisedKey(event, reportedStatus),
    entry: withoutUnsaid({ event, reportedStatus, at: now, requestId }),
  };
}

/** An empty text says nothing. */
function withoutUnsaid(fields: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
