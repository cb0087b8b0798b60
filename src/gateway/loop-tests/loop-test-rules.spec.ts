import { partsOf } from '../../messages/text/segments';
import { loopOutcome, type LoopFacts, loopText, newNonce, nextNightAt } from './loop-test-rules';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const receiver = { receives: true, isOnline: true };
const message = (status: 'pending' | 'dispatched' | 'sent' | 'delivered' | 'failed' | 'unknown') => ({
  status,
  requestedAt: ago(605),
  dispatchedAt: ago(602),
});

describe('the outcome of a loop test', () => {
  const LATE = { startedAt: ago(601), now: NOW, receiver };

  it.each<[string, LoopFacts, object]>([
    [
      'it arrived',
      { ...LATE, message: message('sent'), arrivedAt: ago(597.66) },
      { result: 'arrived', seconds: 4.3 },
    ],
    [
      'it arrived before it was reported, by clocks that differ',
      { ...LATE, message: message('dispatched'), arrivedAt: ago(603) },
      { result: 'arrived', seconds: 0 },
    ],
    ['the send was refused', { ...LATE, refusal: 'no' }, { result: 'not_sent', reason: 'refused' }],
    [
      'the phone reported a failure',
      { ...LATE, message: message('failed') },
      { result: 'not_sent', reason: 'failed' },
    ],
    [
      'it was sent a moment ago',
      { ...LATE, startedAt: ago(599), message: message('sent') },
      { result: 'waiting' },
    ],
    ['it is not accepted yet', { ...LATE, startedAt: ago(1) }, { result: 'waiting' }],
    [
      'its phone is not there',
      { ...LATE, message: message('pending') },
      { result: 'not_sent', reason: 'not_handed_over' },
    ],
    [
      'its phone is silent',
      { ...LATE, message: message('dispatched') },
      { result: 'lost', reason: 'not_reported' },
    ],
    [
      'the other phone does not receive',
      { ...LATE, message: message('sent'), receiver: { receives: false, isOnline: true } },
      { result: 'lost', reason: 'receiving_off' },
    ],
    [
      'the other phone is offline',
      { ...LATE, message: message('sent'), receiver: { receives: true, isOnline: false } },
      { result: 'lost', reason: 'receiver_offline' },
    ],
    [
      'the other phone is there and receives',
      { ...LATE, message: message('delivered') },
      { result: 'lost', reason: 'not_received' },
    ],
  ])('if %s', (_, facts, expected) => {
    expect(loopOutcome(facts)).toEqual(expected);
  });

  it('is known by a text of one part that nothing else contains', () => {
    const nonces = new Set(Array.from({ length: 1_000 }, newNonce));
    expect(nonces.size).toBe(1_000);
    for (const nonce of nonces) expect(nonce).toMatch(/^[2-9A-HJKMNP-Z]{12}$/);
    expect(partsOf({ message: loopText(newNonce()) })).toBe(1);
  });

  it.each([
    ['later today', 13, '2026-01-31T13:00:00.000Z'],
    ['tomorrow, at the hour itself', 12, '2026-02-01T12:00:00.000Z'],
    ['tomorrow', 3, '2026-02-01T03:00:00.000Z'],
  ])('is next found %s', (_, hour, expected) => {
    expect(nextNightAt(NOW, hour).toISOString()).toBe(expected);
  });
});
