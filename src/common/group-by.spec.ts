import { roundsOf } from './group-by';

describe('roundsOf', () => {
  it('has each key at most once in a round, and those of one key in order', () => {
    const items = ['a1', 'b1', 'a2', 'c1', 'a3', 'b2'];
    const rounds = roundsOf(items, (item) => item[0]);
    expect(rounds).toEqual([['a1', 'b1', 'c1'], ['a2', 'b2'], ['a3']]);
  });

  it('has no round without items', () => {
    expect(roundsOf([], String)).toEqual([]);
  });
});
