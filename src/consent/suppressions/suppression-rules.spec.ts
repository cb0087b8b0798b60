import { Types } from 'mongoose';
import { DAY_MS } from '../../common/durations';
import { currentState, findStopping } from './suppression-rules';
import type { Suppression } from './suppression.schema';

const NOW = new Date('2026-11-27T12:00:00Z');
const before = (ms: number) => new Date(NOW.getTime() - ms);

const block = (fields: Partial<Suppression> = {}): Suppression => ({
  _id: new Types.ObjectId(),
  user: new Types.ObjectId(),
  numberKey: 'key',
  number: '+447700900123',
  topic: '',
  state: 'out',
  covers: 'undeclared',
  at: before(DAY_MS),
  source: 'keyword',
  ...fields,
});

const stops = (blocks: Suppression[], send: Parameters<typeof findStopping>[1]) =>
  findStopping(blocks, send, NOW) !== undefined;

describe('findStopping', () => {
  it.each([
    [{ state: 'out' }, {}, true],
    [{ state: 'out' }, { purpose: 'marketing' }, true],
    [{ state: 'out' }, { purpose: 'transactional' }, false],
    [{ state: 'out', covers: 'everything' }, { purpose: 'transactional' }, true],
    [{ state: 'held' }, {}, false],
    [{ state: 'held' }, { purpose: 'marketing' }, true],
    [{ state: 'held' }, { purpose: 'transactional' }, false],
    [{ state: 'held', heldAt: before(8 * DAY_MS) }, {}, true],
    [{ state: 'held', heldAt: before(6 * DAY_MS), at: before(6 * DAY_MS) }, {}, false],
    [{ state: 'lifted' }, { purpose: 'marketing' }, false],
    [{ topic: 'offers' }, { topic: 'offers' }, true],
    [{ topic: 'offers' }, { topic: 'offers', purpose: 'transactional' }, false],
    [{ topic: 'offers' }, { topic: 'news' }, false],
    [{ topic: 'offers' }, {}, false],
  ] as const)('%j, a send %j: %s', (fields, send, expected) => {
    expect(stops([block(fields)], send)).toBe(expected);
  });

  it('heeds all blocks of a number, and not those that were lifted since', () => {
    const offers = block({ topic: 'offers' });
    expect(stops([block({ state: 'lifted', at: NOW }), offers], { topic: 'offers' })).toBe(false);
    expect(stops([block({ state: 'lifted', at: before(2 * DAY_MS) }), offers], { topic: 'offers' })).toBe(
      true,
    );
    expect(stops([block({ state: 'lifted', at: offers.at }), offers], { topic: 'offers' })).toBe(true);
    const byOwner = block({ state: 'lifted', at: NOW, source: 'web' });
    expect(stops([byOwner, offers], { topic: 'offers' })).toBe(true);
    expect(stops([offers, block({ state: 'held' })], { purpose: 'marketing' })).toBe(true);
    expect(stops([], {})).toBe(false);
  });
});

describe('currentState', () => {
  it('is out a week after it was held', () => {
    expect(currentState(block({ state: 'held', heldAt: before(7 * DAY_MS) }), NOW)).toBe('out');
    expect(currentState(block({ state: 'held', heldAt: before(7 * DAY_MS - 1) }), NOW)).toBe('held');
    expect(currentState(block({ state: 'lifted' }), NOW)).toBeUndefined();
  });
});
