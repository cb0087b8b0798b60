import { StreamRounds, TURN_MS } from './stream-rounds';

const SECOND = 1_000;
/** In a minute. */
const TURNS = (60 * SECOND) / TURN_MS;

class FakeStream {
  private readonly listeners: (() => void)[] = [];

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    for (const listener of this.listeners) listener();
  }
}

describe('the rounds of streams', () => {
  let rounds: StreamRounds<FakeStream>;
  let now: number;

  beforeEach(() => {
    now = 123_456;
    rounds = new StreamRounds(now);
  });

  function add(count: number): FakeStream[] {
    const streams = Array.from({ length: count }, () => new FakeStream());
    for (const stream of streams) rounds.add(stream);
    return streams;
  }

  const pass = (ms = SECOND) => rounds.takeDue((now += ms));
  const passSeconds = (count: number) => Array.from({ length: count }, () => pass());

  it('keep each stream alive every 15 s and look after it every minute, in a turn that it keeps', () => {
    const streams = add(1_000);
    const minutes = [passSeconds(60), passSeconds(60)];
    for (const minute of minutes) {
      const caughtUp = minute.flatMap(({ forCatchUp }) => forCatchUp);
      expect([caughtUp.length, new Set(caughtUp)]).toEqual([1_000, new Set(streams)]);
      for (let first = 0; first < 60; first += 15) {
        const keptAlive = minute.slice(first, first + 15).flatMap(({ forKeepAlive }) => forKeepAlive);
        expect([keptAlive.length, new Set(keptAlive)]).toEqual([1_000, new Set(streams)]);
      }
    }
    expect(minutes[1]?.map(({ forCatchUp }) => forCatchUp)).toEqual(
      minutes[0]?.map(({ forCatchUp }) => forCatchUp),
    );
  });

  it('have about the same number of streams in each turn, also after some were closed', () => {
    const streams = add(12 * TURNS);
    for (const stream of streams.slice(0, 6 * TURNS)) stream.close();
    for (const stream of streams.slice(6 * TURNS).filter((_, index) => index % TURNS < TURNS / 2))
      stream.close();
    add(7 * TURNS);
    const turns = Array.from({ length: TURNS }, () => pass(TURN_MS));
    const counts = turns.map(({ forCatchUp, forKeepAlive }) => [forCatchUp.length, forKeepAlive.length]);
    expect(new Set(counts.map(([count]) => count))).toEqual(new Set([10]));
    expect(new Set(counts.map(([, count]) => count))).toEqual(new Set([40]));
  });

  it('skip no turn when a call is late, and have each stream once when it is very late', () => {
    add(2 * TURNS);
    expect(pass(TURN_MS - 1).forCatchUp.length + pass(2 * TURN_MS + 1).forCatchUp.length).toBe(6);
    const { forKeepAlive, forCatchUp } = pass(600_000);
    expect([forKeepAlive.length, new Set(forKeepAlive).size]).toEqual([2 * TURNS, 2 * TURNS]);
    expect([forCatchUp.length, new Set(forCatchUp).size]).toEqual([2 * TURNS, 2 * TURNS]);
  });

  it('do nothing twice in one turn', () => {
    add(TURNS);
    expect(pass(TURN_MS).forCatchUp).toHaveLength(1);
    expect(rounds.takeDue(now)).toEqual({ forKeepAlive: [], forCatchUp: [] });
    expect(rounds.takeDue(now - 5_000)).toEqual({ forKeepAlive: [], forCatchUp: [] });
    expect(pass(TURN_MS).forCatchUp).toHaveLength(1);
  });

  it('are visited one after the other, and together by the next visit if one takes long', async () => {
    rounds = new StreamRounds();
    const later = performance.now() + 60_000;
    const streams = add(2 * TURNS);
    const visits: number[] = [];
    let end: () => void = () => undefined;
    const slow = rounds.visitDue(later, ({ forCatchUp }) => {
      visits.push(forCatchUp.length);
      return new Promise((resolve) => (end = resolve));
    });
    const others = [1, 2, 3].map((turn) =>
      rounds.visitDue(later + 2 * turn * TURN_MS, ({ forCatchUp }) => {
        visits.push(forCatchUp.length);
        return Promise.resolve();
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(visits).toEqual([streams.length]);
    end();
    await Promise.all([slow, ...others]);
    expect(visits).toEqual([2 * TURNS, 4, 4, 4]);
  });

  it('are visited after a visit that failed', async () => {
    rounds = new StreamRounds();
    const later = performance.now() + 60_000;
    add(1);
    const failed = rounds.visitDue(later, () => Promise.reject(new Error('gone')));
    const next = rounds.visitDue(later + 60_000, ({ forCatchUp }) => {
      expect(forCatchUp).toHaveLength(1);
      return Promise.resolve();
    });
    await expect(failed).rejects.toThrow('gone');
    await next;
    expect.assertions(2);
  });
});
