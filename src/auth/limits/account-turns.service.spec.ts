import { Types } from 'mongoose';
import { accountScope } from '../account-scope';
import { AccountTurns } from './account-turns.service';
import { ConcurrencyLimited } from './limit.errors';

const newAccount = () => accountScope(new Types.ObjectId());

/** Begins the turns of requests. @returns the ends of those whose turn it is, in order. */
function beginMany(turns: AccountTurns, account: ReturnType<typeof newAccount>, count: number) {
  const ends: (() => void)[] = [];
  for (let index = 0; index < count; index++) void turns.begin(account).then((end) => ends.push(end));
  return ends;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the turns of an account', () => {
  it('are three at the same time, and then in order', async () => {
    const turns = new AccountTurns();
    const account = newAccount();
    const ends = beginMany(turns, account, 5);
    await settle();
    expect(ends).toHaveLength(3);
    ends[0]?.();
    await settle();
    expect(ends).toHaveLength(4);
    for (const end of ends.splice(1)) end();
    await settle();
    expect(ends).toHaveLength(2);
  });

  it('do not wait for those of another account', async () => {
    const turns = new AccountTurns();
    beginMany(turns, newAccount(), 50);
    const other = beginMany(turns, newAccount(), 1);
    await settle();
    expect(other).toHaveLength(1);
  });

  it('are refused when a hundred wait', async () => {
    const turns = new AccountTurns();
    const account = newAccount();
    beginMany(turns, account, 103);
    await settle();
    await expect(turns.begin(account)).rejects.toThrow(ConcurrencyLimited);
  });
});
