import { setTimeout as sleep } from 'node:timers/promises';
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

  it('are one at the same time while another account is active, and rest for as long as they took', async () => {
    const turns = new AccountTurns();
    const [account, other] = [newAccount(), newAccount()];
    turns.noteActive(other);
    turns.noteActive(account);
    const ends = beginMany(turns, account, 3);
    await settle();
    expect(ends).toHaveLength(1);
    await sleep(50);
    const endedAt = performance.now();
    ends[0]?.();
    await settle();
    expect(ends).toHaveLength(1);
    while (ends.length === 1) await settle();
    expect(performance.now() - endedAt).toBeGreaterThan(40);
  });

  it('are not slowed beside an account with more than three, up to three of them', async () => {
    const turns = new AccountTurns();
    const [account, other] = [newAccount(), newAccount()];
    turns.noteActive(account);
    turns.noteActive(other);
    const heavy = beginMany(turns, other, 8);
    const ends = beginMany(turns, account, 3);
    await settle();
    expect([heavy.length, ends.length]).toEqual([1, 3]);
    const fourth = beginMany(turns, account, 1);
    await sleep(50);
    ends[0]?.();
    await settle();
    expect(fourth).toHaveLength(0);
  });

  it('are three again when the other account has been silent for a second', async () => {
    const turns = new AccountTurns();
    const [account, other] = [newAccount(), newAccount()];
    turns.noteActive(other);
    await sleep(1_010);
    turns.noteActive(account);
    const ends = beginMany(turns, account, 5);
    await settle();
    expect(ends).toHaveLength(3);
  });

  it('end after half a second, so that a slow request holds up no others', async () => {
    const turns = new AccountTurns();
    const ends = beginMany(turns, newAccount(), 4);
    await sleep(600);
    expect(ends).toHaveLength(4);
    // A late end gives no second turn.
    for (const end of ends) end();
  });

  it('are refused when a hundred wait', async () => {
    const turns = new AccountTurns();
    const account = newAccount();
    beginMany(turns, account, 103);
    await settle();
    await expect(turns.begin(account)).rejects.toThrow(ConcurrencyLimited);
  });

  describe('between parts', () => {
    /** How long the work of an account rests between two parts, and how long the first one takes. */
    async function restMs(isOtherActive: boolean): Promise<{ tookMs: number; restedMs: number }> {
      const turns = new AccountTurns();
      const [account, other] = [newAccount(), newAccount()];
      const noteActive = () => {
        if (isOtherActive) turns.noteActive(other);
        turns.noteActive(account);
      };
      noteActive();
      const doPart = turns.parts(account);
      const startedAt = performance.now();
      const endedAt = await doPart(async () => {
        await sleep(200);
        noteActive();
        return performance.now();
      });
      const nextAt = await doPart(() => Promise.resolve(performance.now()));
      return { tookMs: endedAt - startedAt, restedMs: nextAt - endedAt };
    }

    it('rest for twice as long as they took while another account is active', async () => {
      const { tookMs, restedMs } = await restMs(true);
      expect(restedMs).toBeGreaterThan(Math.min(2 * tookMs, 500) - 10);
    });

    it('rest for their share of the time that they took beside the long work of other accounts', async () => {
      const turns = new AccountTurns();
      const accounts = Array.from({ length: 8 }, newAccount);
      for (const account of accounts) turns.noteActive(account);
      const restsMs = await Promise.all(
        accounts.map(async (account) => {
          const doPart = turns.parts(account);
          const endedAt = await doPart(async () => {
            await sleep(200);
            return performance.now();
          });
          return (await doPart(() => Promise.resolve(performance.now()))) - endedAt;
        }),
      );
      // Twice an eighth of 200 ms.
      expect(Math.min(...restsMs)).toBeGreaterThan(40);
      expect(Math.min(...restsMs)).toBeLessThan(200);
    });

    it('do not rest while no other account is active', async () => {
      const rests = [await restMs(false), await restMs(false), await restMs(false)];
      expect(Math.min(...rests.map(({ restedMs }) => restedMs))).toBeLessThan(200);
    });
  });

  it('do the parts of all work of an account one at a time while another account is active, also after one that fails', async () => {
    const turns = new AccountTurns();
    const account = newAccount();
    turns.noteActive(account);
    turns.noteActive(newAccount());
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (running += 1));
      await sleep(20);
      running -= 1;
      throw new Error('gone');
    };
    const parts = [turns.parts(account), turns.parts(account)].map((doPart) => doPart(work));
    expect((await Promise.allSettled(parts)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(most).toBe(1);
  });
});
