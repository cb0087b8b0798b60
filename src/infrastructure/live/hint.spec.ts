import { Types } from 'mongoose';
import { ALL, hintOf, MAX_HINT_IDS, mergeHints } from './hint';

const newIds = (count: number) => Array.from({ length: count }, () => new Types.ObjectId());

describe('hints', () => {
  it('have at most 50 ids', () => {
    const ids = newIds(MAX_HINT_IDS);
    expect(hintOf(ids)).toEqual({ ids: ids.map(String) });
    expect(hintOf([...ids, new Types.ObjectId()])).toEqual(ALL);
    expect(hintOf(undefined)).toEqual(ALL);
  });

  it('are merged, each id once', () => {
    const [one, other] = [hintOf(newIds(30)), hintOf(newIds(30))];
    expect(mergeHints(undefined, one)).toEqual(one);
    expect(mergeHints(one, one)).toEqual(one);
    expect(mergeHints(one, { ids: other.ids.slice(0, 20) }).ids).toHaveLength(50);
    expect(mergeHints(one, other)).toEqual(ALL);
    expect(mergeHints(ALL, one)).toEqual(ALL);
    expect(mergeHints(one, ALL)).toEqual(ALL);
  });
});
