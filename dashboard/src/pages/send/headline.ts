import type { BatchSummaryResponse } from '../../../generated';
import { countsOf, type CountedBatch } from '../../components/batch-counts';

/** What became of all messages of a send: the worst first, because the best is what is expected. */
export function headlineOf(batch: CountedBatch & Pick<BatchSummaryResponse, 'recipientCount'>) {
  const { recipientCount } = batch;
  const { pending, dispatched, delivered, failed, suppressed, cancelled, unknown } = countsOf(batch);
  const of = (
    part: number,
    all: 'failedAll' | 'suppressedAll' | 'cancelledAll' | 'unknownAll',
    some: 'failedSome' | 'suppressedSome' | 'cancelledSome' | 'unknownSome',
  ) =>
    ({ key: `send.headline.${part === recipientCount ? all : some}`, part, count: recipientCount }) as const;
  if (failed > 0) return of(failed, 'failedAll', 'failedSome');
  if (suppressed > 0) return of(suppressed, 'suppressedAll', 'suppressedSome');
  if (cancelled > 0) return of(cancelled, 'cancelledAll', 'cancelledSome');
  if (unknown > 0) return of(unknown, 'unknownAll', 'unknownSome');
  const key = pending + dispatched > 0 ? 'accepted' : delivered === recipientCount ? 'delivered' : 'sent';
  return { key: `send.headline.${key}`, part: 0, count: recipientCount } as const;
}
