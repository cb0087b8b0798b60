import { Types } from 'mongoose';
import { ValidationFailed } from '../../common/errors';
import { encodeCursor } from './message-cursor';
import { type RawMessageQuery, parseMessageQuery } from './message-query';

const ID = '665f1c2ab7e1d4a9c0f3e812';
const OTHER = '665f1c2ab7e1d4a9c0f3e813';
const position = { createdAt: new Date('2026-01-31T09:00:00Z'), id: new Types.ObjectId(ID) };

function invalidFields(raw: RawMessageQuery): string[] {
  try {
    parseMessageQuery(raw);
    return [];
  } catch (failure) {
    if (failure instanceof ValidationFailed) return failure.details.map(({ field }) => field);
    throw failure;
  }
}

describe('parseMessageQuery', () => {
  it('defaults to the first page of all messages', () => {
    expect(parseMessageQuery({})).toEqual({
      filter: {},
      order: 'desc',
      limit: 50,
      start: { page: 1 },
    });
  });

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00.123456Z', '2026-01-31T09:00:00.123Z'],
    ['2026-01-31T09:00:00+01:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T23:30:00-05:30', '2026-02-01T05:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('parses the time %s', (text, time) => {
    expect(parseMessageQuery({ from: text, to: text }).filter).toMatchObject({
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
  ])('rejects the time %j', (text) => {
    expect(invalidFields({ from: text })).toEqual(['from']);
    expect(invalidFields({ to: text })).toEqual(['to']);
  });

  it('uses the order of the cursor and rejects another', () => {
    const cursor = encodeCursor({ ...position, order: 'asc' });
    expect(parseMessageQuery({ cursor })).toMatchObject({ order: 'asc', start: { after: position } });
    expect(parseMessageQuery({ cursor, order: 'asc' }).order).toBe('asc');
    expect(invalidFields({ cursor, order: 'desc' })).toEqual(['order']);
  });

  it('rejects a page number together with a cursor', () => {
    const cursor = encodeCursor({ ...position, order: 'desc' });
    expect(invalidFields({ cursor, page: 1 })).toEqual([]);
    expect(invalidFields({ cursor, page: 2 })).toEqual(['page']);
    expect(invalidFields({ cursor: 'broken', page: 2 })).toEqual(['page', 'cursor']);
  });

  it.each<[RawMessageQuery, string | undefined]>([
    [{ direction: 'sent' }, 'sent'],
    [{ type: 'received' }, 'received'],
    [{ direction: 'sent', type: 'sent' }, 'sent'],
    [{ direction: 'all' }, undefined],
    [{ direction: 'all', type: 'all' }, undefined],
  ])('parses the direction of %j', (raw, direction) => {
    expect(parseMessageQuery(raw).filter.direction).toBe(direction);
  });

  it.each<RawMessageQuery>([
    { direction: 'sent', type: 'received' },
    { direction: 'all', type: 'sent' },
    { direction: 'sent', type: 'all' },
  ])('rejects a type that contradicts direction: %j', (raw) => {
    expect(invalidFields(raw)).toEqual(['type']);
  });

  it('parses device ids without duplicates', () => {
    const { devices } = parseMessageQuery({ deviceIds: `${ID}, ${OTHER},,${ID.toUpperCase()},` }).filter;
    expect(devices?.map(String)).toEqual([ID, OTHER]);
  });

  it.each(['', ',', 'x', `${ID},x`, `${ID}${OTHER}`, `${ID};${OTHER}`])(
    'rejects the device ids %j',
    (deviceIds) => {
      expect(invalidFields({ deviceIds })).toEqual(['deviceIds']);
    },
  );

  it('reports every invalid field', () => {
    expect(
      invalidFields({ from: 'x', to: 'y', smsBatchId: 'z', deviceIds: 'w', cursor: 'v' }).sort(),
    ).toEqual(['cursor', 'deviceIds', 'from', 'smsBatchId', 'to']);
  });
});
