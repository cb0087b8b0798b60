import type { Lookup } from './lookup';
import { changedKeyFields, routingOf } from './shard-routing';

const KEY = { user: 1, _id: 'hashed' } as const;
const routed = (filter: object, write?: Lookup['write']) => routingOf({ filter, write } as Lookup, KEY);

describe('the shards that a query asks', () => {
  it.each([
    ['an account', { user: 7 }, 'targeted'],
    ['accounts', { user: { $in: [7, 8] }, at: 1 }, 'targeted'],
    ['an account within `$and`', { $and: [{ at: 1 }, { user: 7 }] }, 'targeted'],
    ['an account in each branch', { $or: [{ user: 7 }, { user: 8, at: 1 }] }, 'targeted'],
    ['an account in one branch', { $or: [{ user: 7 }, { at: 1 }] }, 'scattered'],
    ['an id', { _id: 1 }, 'scattered'],
    ['all accounts but one', { user: { $ne: 7 } }, 'scattered'],
    ['nothing', {}, 'scattered'],
  ])('if it names %s', (_what, filter, expected) => {
    expect(routed(filter)).toBe(expected);
  });

  it('are one shard for writes of one document, or the cluster refuses them', () => {
    expect(routed({ user: 7, _id: 1 }, 'one')).toBe('targeted');
    expect(routed({ user: 7 }, 'one')).toBe('refused');
    expect(routed({ _id: 1 }, 'one')).toBe('scattered');
    expect(routed({ user: 7, _id: { $in: [1] } }, 'one')).toBe('refused');
    for (const write of ['upsert', 'findAndModify'] as const) {
      expect(routed({ user: 7, _id: 1 }, write)).toBe('targeted');
      expect(routed({ user: 7, at: 1 }, write)).toBe('refused');
      expect(routed({ _id: 1 }, write)).toBe('refused');
    }
  });
});

describe('changes of a shard key', () => {
  it('are found in operators and in pipelines', () => {
    expect(changedKeyFields({ $set: { user: 1, at: 1 } }, KEY)).toEqual(['user']);
    expect(changedKeyFields({ $setOnInsert: { user: 1 }, $unset: { at: 1 } }, KEY)).toEqual([]);
    expect(changedKeyFields([{ $set: { at: 1 } }, { $unset: ['user.name'] }], KEY)).toEqual(['user']);
    expect(changedKeyFields([{ $replaceWith: { $mergeObjects: ['$$ROOT', {}] } }], KEY)).toEqual([]);
    expect(() => changedKeyFields([{ $replaceWith: '$other' }], KEY)).toThrow('$replaceWith');
  });

  it('are found in replacements that do not repeat it', () => {
    expect(changedKeyFields({ user: 1, at: 1 }, KEY)).toEqual([]);
    expect(changedKeyFields({ at: 1 }, KEY)).toEqual(['user']);
  });
});
