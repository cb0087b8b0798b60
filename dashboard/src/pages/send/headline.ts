import type { BatchSummaryResponse } from '../../../generated';

/** What became of all messages of a send: the worst first, because the best is what is expected. */
export function headlineOf({
  states,
  cancelledCount,
  recipientCount,
}: Pick<BatchSummaryResponse, 'states' | 'cancelledCount' | 'recipientCount'>) {
  const { pending, dispatched, delivered, unknown } = states;
  const failed = states.failed - cancelledCount;
  const of = (
    part: number,
    all: 'failedAll' | 'cancelledAll' | 'unknownAll',
    some: 'failedSome' | 'cancelledSome' | 'unknownSome',
  ) =>
    ({ key: `send.headline.${part === recipientCount ? all : some}`, part, count: recipientCount }) as const;
  if (failed > 0) return of(failed, 'failedAll', 'failedSome');
  if (cancelledCount > 0) return of(cancelledCount, 'cancelledAll', 'cancelledSome');
  if (unknown > 0) return of(unknown, 'unknownAll', 'unknownSome');
  const key = pending + dispatched > 0 ? 'accepted' : delivered === recipientCount ? 'delivered' : 'sent';
  return { key: `send.headline.${key}`, part: 0, count: recipientCount } as const;
}
