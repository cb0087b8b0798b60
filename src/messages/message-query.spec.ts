import { Types } from 'mongoose';
import { ValidationFailed } from '../common/errors';
import { writeCursor } from './message-cursor';
import { type RawMessageQuery, readMessageQuery } from './message-query';

const ID = '665f1c2ab7e1d4a9c0f3e812';
const OTHER = '665f1c2ab7e1d4a9c0f3e813';
const position = { createdAt: new Date('2026-01-31T09:00:00Z'), id: new Types.ObjectId(ID) };

function faultsOf(raw: RawMessageQuery): string[] {
  try {
    readMessageQuery(raw);
    return [];
  } catch (failure) {
    if (failure instanceof ValidationFailed) return failure.details.map(({ field }) => field);
    throw failure;
  }
}

describe('the query of a message list', () => {
  it('is the first page of everything when it says nothing', () => {
    expect(readMessageQuery({})).toEqual({ filter: {}, order: 'desc', limit: 50, start: { page: 1 } });
  });

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00.123456Z', '2026-01-31T09:00:00.123Z'],
    ['2026-01-31T09:00:00+01:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T23:30:00-05:30', '2026-02-01T05:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('reads %s as a time', (text, time) => {
    expect(readMessageQuery({ from: text, to: text }).filter).toMatchObject({
      from: new Date(time),
      to: new Date(time),
    });
  });

  it.each([
    '',
    'yesterday',
    '1767225600000',
    '2026',
    '2026-01',
    '2026-1-31',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-01-31T09:00:00',
    '2026-01-31T09:00:00.000',
    '2026-01-31 09:00:00Z',
    '2026-01-31T09:00:00 01:00',
    '2026-01-31T25:00:00Z',
    '2026-01-31T09:00:00+99:00',
    '2026-01-31Z',
    ' 2026-01-31',
  ])('does not take %j for a time', (text) => {
    expect(faultsOf({ from: text })).toEqual(['from']);
    expect(faultsOf({ to: text })).toEqual(['to']);
  });

  it('takes the order of the cursor, and no other', () => {
    const cursor = writeCursor({ ...position, order: 'asc' });
    expect(readMessageQuery({ cursor })).toMatchObject({ order: 'asc', start: { after: position } });
    expect(readMessageQuery({ cursor, order: 'asc' }).order).toBe('asc');
    expect(faultsOf({ cursor, order: 'desc' })).toEqual(['order']);
  });

  it('takes a cursor or a page', () => {
    const cursor = writeCursor({ ...position, order: 'desc' });
    expect(faultsOf({ cursor, page: 1 })).toEqual([]);
    expect(faultsOf({ cursor, page: 2 })).toEqual(['page']);
    expect(faultsOf({ cursor: 'broken', page: 2 })).toEqual(['page', 'cursor']);
  });

  it.each<[RawMessageQuery, string | undefined]>([
    [{ direction: 'sent' }, 'sent'],
    [{ type: 'received' }, 'received'],
    [{ direction: 'sent', type: 'sent' }, 'sent'],
    [{ direction: 'all' }, undefined],
    [{ direction: 'all', type: 'all' }, undefined],
  ])('reads the direction of %j', (raw, direction) => {
    expect(readMessageQuery(raw).filter.direction).toBe(direction);
  });

  it.each<RawMessageQuery>([
    { direction: 'sent', type: 'received' },
    { direction: 'all', type: 'sent' },
    { direction: 'sent', type: 'all' },
  ])('refuses a type that contradicts: %j', (raw) => {
    expect(faultsOf(raw)).toEqual(['type']);
  });

  it('reads device ids, each once', () => {
    const { devices } = readMessageQuery({ deviceIds: `${ID}, ${OTHER},,${ID.toUpperCase()},` }).filter;
    expect(devices?.map(String)).toEqual([ID, OTHER]);
  });

  it.each(['', ',', 'x', `${ID},x`, `${ID}${OTHER}`, `${ID};${OTHER}`])(
    'does not take %j for device ids',
    (deviceIds) => {
      expect(faultsOf({ deviceIds })).toEqual(['deviceIds']);
    },
  );

  it('names every field at fault', () => {
    expect(faultsOf({ from: 'x', to: 'y', smsBatchId: 'z', deviceIds: 'w', cursor: 'v' }).sort()).toEqual([
      'cursor',
      'deviceIds',
      'from',
      'smsBatchId',
      'to',
    ]);
  });
});
