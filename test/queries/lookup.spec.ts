import { extractLookups } from './lookup';

const looks = (command: object) => extractLookups({ by: 'Orders.find', command });

describe('lookups of a command', () => {
  it('name the fields of a find, without values, and its sort', () => {
    const filter = {
      user: 7,
      at: { $gte: 1, $lt: 2 },
      gone: { $exists: false },
      'lines.0.price': { $not: { $gt: 3 } },
      $and: [{ $or: [{ at: { $gt: 1 } }, { at: 1, _id: { $gt: 2 } }] }],
    };
    const sort = new Map([
      ['at', -1],
      ['_id', 1],
    ]);
    const found = looks({ find: 'orders', filter, sort, limit: 1, lsid: {}, $db: 'shop' });
    expect(found).toEqual([
      {
        by: 'Orders.find',
        collection: 'orders',
        operation: 'find',
        conditions: [
          'user',
          'at $gte $lt',
          'gone missing',
          'lines.n.price $not $gt',
          '(at $gt or at, _id $gt)',
        ],
        sort: ['-at', '_id'],
        filter,
        explainable: { find: 'orders', filter, sort, limit: 1 },
      },
    ]);
  });

  it('exist for each write of a command', () => {
    const found = looks({
      update: 'orders',
      updates: [
        { q: { _id: 1 }, u: {} },
        { q: { user: 2 }, u: {} },
      ],
    });
    expect(found.map(({ conditions }) => conditions)).toEqual([['_id'], ['user']]);
    expect(found[1]?.explainable).toEqual({ update: 'orders', updates: [{ q: { user: 2 }, u: {} }] });
    expect(looks({ delete: 'orders', deletes: [{ q: { _id: 1 }, limit: 1 }] })).toHaveLength(1);
    const writes = [{ u: {}, multi: true }, { u: {} }, { u: {}, upsert: true }];
    const updates = writes.map((write) => ({ q: {}, ...write }));
    expect(looks({ update: 'orders', updates }).map(({ write }) => write)).toEqual([
      undefined,
      'one',
      'upsert',
    ]);
  });

  it('of a findAndModify are those of a find', () => {
    const [found] = looks({ findAndModify: 'orders', query: { user: 1 }, sort: { at: 1 }, update: {} });
    expect(found?.explainable).toEqual({
      find: 'orders',
      filter: { user: 1 },
      sort: { at: 1 },
      limit: 1,
    });
  });

  it('distinguish a count from other aggregations', () => {
    const match = { $match: { user: 1 } };
    const count = { $group: { _id: 1, n: { $sum: 1 } } };
    expect(looks({ aggregate: 'orders', pipeline: [match, count] })[0]?.operation).toBe('count');
    const latest = looks({ aggregate: 'orders', pipeline: [match, { $sort: { at: -1 } }, { $limit: 1 }] });
    expect(latest[0]).toMatchObject({ operation: 'aggregate', conditions: ['user'], sort: ['-at'] });
  });

  it('of an unknown command throw', () => {
    expect(() => looks({ mapReduce: 'orders' })).toThrow('mapReduce');
  });
});
