import type { PipelineStage, Types } from 'mongoose';
import type { LogIds } from '../common/log-ids';
import { raisedKey, RAISED_FROM } from './message-event';
import { sourcesOf, SUCCEEDED, UNSETTLED } from './message-status';
import type { ReadReport } from './status-report';

/** The most kinds of event one message remembers: what phones report is not the server's to bound otherwise. */
const MOST_RAISED = 20;

const isMissing = (field: string) => ({ $eq: [{ $type: field }, 'missing'] });
const keep = (field: string) => ({ $ifNull: [field, '$$REMOVE'] });
const when = (condition: unknown, then: unknown, otherwise: unknown) => ({
  $cond: [condition, then, otherwise],
});

/** Whether the message has not counted in its device's total before this write. */
const counts = (by: Types.ObjectId) => ({
  $or: [isMissing('$countedAt'), { $and: [{ $eq: ['$lastMove.by', by] }, '$lastMove.counts'] }],
});

/**
 * The update a report makes on its message: one write, decided by the database on the state it finds there, so
 * that reports may come in any order, repeated, and at once. It moves the message if the table of moves allows
 * it, fills the times that are missing, and puts the event into the outbox if it is still owed.
 * @param cause the request that brought it.
 * @param by identifies the write: what it did is read off `lastMove`.
 */
export function reportUpdate(
  report: ReadReport,
  now: Date,
  { requestId }: Pick<LogIds, 'requestId'>,
  by: Types.ObjectId,
): PipelineStage[] {
  const key = raisedKey(report.event, report.reportedStatus);
  const times = Object.entries(report.times).filter(([, time]) => time instanceof Date);
  // What a phone says is data, also where it begins with a dollar sign.
  const said = (text: string) => ({ $literal: text });
  const entry = {
    event: report.event,
    ...(report.reportedStatus !== undefined && { reportedStatus: said(report.reportedStatus) }),
    at: now,
    ...(requestId !== undefined && { requestId: said(requestId) }),
  };
  return [
    {
      $set: {
        // Scratch for the next stage; gone in the last.
        moves: { $in: ['$status', sourcesOf(report.to)] },
        records: { $in: ['$status', RAISED_FROM[report.event]] },
        raises: {
          $and: [
            { $in: ['$status', RAISED_FROM[report.event]] },
            { $not: { $in: [said(key), '$raised'] } },
            { $lt: [{ $size: '$raised' }, MOST_RAISED] },
          ],
        },
        fills: { $or: [false, ...times.map(([field]) => isMissing(`$${field}`))] },
      },
    },
    {
      $set: {
        settledAt: when({ $and: ['$moves', { $in: ['$status', UNSETTLED] }] }, now, keep('$settledAt')),
        status: when('$moves', report.to, '$status'),
        lastMove: when(
          '$moves',
          { by, counts: SUCCEEDED.includes(report.to) && counts(by) },
          keep('$lastMove'),
        ),
        ...(SUCCEEDED.includes(report.to) && {
          countedAt: when('$moves', { $ifNull: ['$countedAt', now] }, keep('$countedAt')),
        }),
        ...Object.fromEntries(times.map(([field, time]) => [field, { $ifNull: [`$${field}`, time] }])),
        ...(report.simUsed !== undefined && {
          simSubscriptionId: { $ifNull: ['$simSubscriptionId', report.simUsed] },
        }),
        ...(report.errorCode && { errorCode: when('$records', said(report.errorCode), keep('$errorCode')) }),
        ...(report.errorMessage && {
          errorMessage: when('$records', said(report.errorMessage), keep('$errorMessage')),
        }),
        raised: when('$raises', { $concatArrays: ['$raised', [said(key)]] }, '$raised'),
        outbox: when('$raises', { $concatArrays: ['$outbox', [entry]] }, '$outbox'),
        relayDueAt: when('$raises', { $ifNull: ['$relayDueAt', now] }, keep('$relayDueAt')),
        updatedAt: when({ $or: ['$moves', '$raises', '$fills'] }, now, '$updatedAt'),
      },
    },
    // Whoever reports on a message has it: it need not be offered again.
    { $unset: ['moves', 'records', 'raises', 'fills', 'offerUntil'] },
  ];
}
