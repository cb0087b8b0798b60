import type { MessageResponse } from '../../../generated';
import { shownStatusOf } from '../../components/message-status';
import { canBeCancelled, stateOf } from './message-state';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const MINUTE = 60_000;

const message = (fields: Partial<MessageResponse>): MessageResponse =>
  ({
    _id: '1',
    direction: 'sent',
    recipient: '+1',
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  }) as MessageResponse;

describe('the state of a message', () => {
  it.each<[string, Partial<MessageResponse>, object]>([
    [
      'waits with its reason and end',
      { status: 'pending', waitingFor: { reason: 'messages_per_day', until: at(MINUTE) } },
      { kind: 'waits', reason: 'messages_per_day', until: at(MINUTE) },
    ],
    ['is scheduled', { status: 'pending', dispatchDueAt: at(MINUTE) }, { kind: 'due', at: at(MINUTE) }],
    ['is due', { status: 'pending', dispatchDueAt: at(-MINUTE) }, { kind: 'leaving' }],
    [
      'was just handed over',
      { status: 'dispatched', dispatchedAt: at(-1_000) },
      { kind: 'handedOver', at: at(-1_000) },
    ],
    [
      'is not answered',
      { status: 'dispatched', dispatchedAt: at(-2 * MINUTE) },
      { kind: 'unanswered', forMs: 2 * MINUTE },
    ],
    [
      'is confirmed but not reported',
      { status: 'dispatched', dispatchedAt: at(-9 * MINUTE), pushReceivedAt: at(-3 * MINUTE) },
      { kind: 'unreported', forMs: 3 * MINUTE },
    ],
    [
      'failed with a reason',
      { status: 'failed', errorCode: '4', errorMessage: 'No service.' },
      { kind: 'failed', failure: { errorCode: '4', errorMessage: 'No service.' } },
    ],
    ['was cancelled', { status: 'failed', errorCode: 'CANCELLED' }, { kind: 'cancelled' }],
    ['has no status', {}, { kind: 'unknown' }],
  ])('%s', (_case, fields, state) => {
    expect(stateOf(message(fields), NOW)).toMatchObject(state);
  });

  it('tells cancelled apart from failed', () => {
    expect(shownStatusOf(message({ status: 'failed', errorCode: 'CANCELLED' }))).toBe('cancelled');
    expect(shownStatusOf(message({ status: 'failed', errorCode: '4' }))).toBe('failed');
    expect(shownStatusOf(message({}))).toBe('unknown');
  });

  it('can be cancelled until the phone has sent it', () => {
    const able = (['pending', 'dispatched', 'sent', 'failed'] as const).filter((status) =>
      canBeCancelled(message({ status })),
    );
    expect(able).toEqual(['pending', 'dispatched']);
  });
});
