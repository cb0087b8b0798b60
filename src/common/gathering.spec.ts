import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gathering, gatheredReads, InStep, SharedWork } from './gathering';
import { logIds, withLogIds } from './log-ids';

/** A round that the test ends itself. */
function held() {
  const rounds: { asks: readonly number[]; end: (failure?: Error) => void }[] = [];
  const gathering = new Gathering(
    (asks: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = (failure?: Error) => {
          if (failure) reject(failure);
          else resolve(asks.map((ask) => ask * 10));
        };
        rounds.push({ asks, end });
      }),
    4,
  );
  return { gathering, rounds };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('Gathering', () => {
  it('takes those who ask at the same time into one round, and those who ask during it into the next', async () => {
    const { gathering, rounds } = held();
    const first = [1, 2].map((ask) => gathering.ask(ask));
    await turn();
    const second = [3, 4].map((ask) => gathering.ask(ask));
    await turn();
    expect(rounds.map(({ asks }) => asks)).toEqual([[1, 2]]);
    rounds[0]?.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await turn();
    expect(rounds.map(({ asks }) => asks)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    rounds[1]?.end();
    expect(await Promise.all(second)).toEqual([30, 40]);
  });

  it('begins anew after it was idle', async () => {
    const { gathering, rounds } = held();
    for (const ask of [1, 2]) {
      const answer = gathering.ask(ask);
      await turn();
      rounds.at(-1)?.end();
      expect(await answer).toBe(ask * 10);
    }
    expect(rounds).toHaveLength(2);
  });

  it('holds no more in a round than it may', async () => {
    const { gathering, rounds } = held();
    const answers = [1, 2, 3, 4, 5].map((ask) => gathering.ask(ask));
    await turn();
    rounds[0]?.end();
    await turn();
    rounds[1]?.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
    expect(rounds.map(({ asks }) => asks)).toEqual([[1, 2, 3, 4], [5]]);
  });

  it('fails all of a round that fails, and none of the next', async () => {
    const { gathering, rounds } = held();
    const failed = Promise.allSettled([1, 2].map((ask) => gathering.ask(ask)));
    await turn();
    const next = gathering.ask(3);
    rounds[0]?.end(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    rounds[1]?.end();
    expect(await next).toBe(30);
  });

  it('fails an ask alone whose own promise is broken', async () => {
    const gathering = new Gathering((asks: readonly number[]) =>
      asks.map((ask) => (ask === 2 ? Promise.reject(new Error('not 2')) : Promise.resolve(ask))),
    );
    const settled = await Promise.allSettled([1, 2, 3].map((ask) => gathering.ask(ask)));
    expect(settled).toMatchObject([{ value: 1 }, { reason: new Error('not 2') }, { value: 3 }]);
  });

  it('lets the next round begin while one hangs', async () => {
    const { gathering, rounds } = held();
    const hanging = gathering.ask(1);
    await turn();
    const next = gathering.ask(2);
    await sleep(300);
    expect(rounds.map(({ asks }) => asks)).toEqual([[1], [2]]);
    rounds[1]?.end();
    expect(await next).toBe(20);
    rounds[0]?.end();
    expect(await hanging).toBe(10);
  });
});

describe('gatheredReads', () => {
  it('reads each key once, gives it to all who asked, and null where there is nothing', async () => {
    const read: string[][] = [];
    const reads = gatheredReads(String, (keys: readonly string[]) => {
      read.push([...keys]);
      return Promise.resolve(new Map(keys.filter((key) => key !== 'c').map((key) => [key, { key }])));
    });
    const [a, again, b, none] = await Promise.all(['a', 'a', 'b', 'c'].map((key) => reads.ask(key)));
    expect(read).toEqual([['a', 'b', 'c']]);
    expect(again).toBe(a);
    expect([a, b, none]).toEqual([{ key: 'a' }, { key: 'b' }, null]);
  });

  it('sees what was written before it was asked, also while an older read is under way', async () => {
    let stored = 'old';
    const reads = gatheredReads(String, async () => {
      const now = stored;
      await sleep(20);
      return new Map([['key', now]]);
    });
    const early = reads.ask('key');
    await turn();
    stored = 'new';
    expect(await Promise.all([early, reads.ask('key')])).toEqual(['old', 'new']);
  });
});

describe('SharedWork', () => {
  it('is done once for all who ask for the same at the same time, and again for whoever asks later', async () => {
    const done: string[] = [];
    const shared = new SharedWork<string>();
    const ask = (id: string) =>
      shared.ask(id, () => {
        done.push(id);
        return Promise.resolve(id.toUpperCase());
      });
    expect(await Promise.all(['a', 'b', 'a', 'a'].map(ask))).toEqual(['A', 'B', 'A', 'A']);
    expect(done).toEqual(['a', 'b']);
    expect(await ask('a')).toBe('A');
    expect(done).toEqual(['a', 'b', 'a']);
  });

  it('sees what was written before it was asked, also while the same is being done', async () => {
    let stored = 'old';
    const shared = new SharedWork<string>();
    const read = async () => {
      const now = stored;
      await sleep(20);
      return now;
    };
    const early = shared.ask('key', read);
    await turn();
    stored = 'new';
    expect(await Promise.all([early, shared.ask('key', read)])).toEqual(['old', 'new']);
  });

  it('does not wait for other work', async () => {
    const shared = new SharedWork<string>();
    const slow = shared.ask('slow', () => sleep(150, 'slow'));
    await turn();
    const first = await Promise.race([slow, shared.ask('quick', () => Promise.resolve('quick'))]);
    expect(first).toBe('quick');
    expect(await slow).toBe('slow');
  });

  it('fails those alone whose work fails, and does it again when it is asked again', async () => {
    const shared = new SharedWork<string>();
    const ask = (id: string) =>
      shared.ask(id, () => (id === 'b' ? Promise.reject(new Error('not b')) : Promise.resolve(id)));
    const settled = await Promise.allSettled(['a', 'b', 'b'].map(ask));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await shared.ask('b', () => Promise.resolve('well'))).toBe('well');
  });

  it('is done with the log ids of the first who asks', async () => {
    const shared = new SharedWork<string | undefined>();
    const ask = (requestId: string) =>
      withLogIds({ requestId }, () => shared.ask('key', () => Promise.resolve(logIds().requestId)));
    expect(await Promise.all(['first', 'second'].map(ask))).toEqual(['first', 'first']);
    expect(await ask('third')).toBe('third');
  });
});

describe('InStep', () => {
  it('does the work of each on behalf of whoever asked', async () => {
    const request = new AsyncLocalStorage<string>();
    const steps = new InStep(async (ask: number) => {
      await sleep(1);
      return [ask, request.getStore()];
    });
    const asked = ['first', 'second'].map((id, ask) => request.run(id, () => steps.ask(ask)));
    expect(await Promise.all(asked)).toEqual([
      [0, 'first'],
      [1, 'second'],
    ]);
  });
});
