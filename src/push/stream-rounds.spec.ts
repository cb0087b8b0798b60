import { StreamRounds } from './stream-rounds';

const SECOND = 1_000;

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

  it('keep each stream alive every 15 s and look after it every minute, in a second that it keeps', () => {
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

  it('have about the same number of streams each second, also after some were closed', () => {
    const streams = add(600);
    for (const stream of streams.slice(0, 300)) stream.close();
    for (const stream of streams.slice(300).filter((_, index) => index % 60 < 20)) stream.close();
    add(400);
    const counts = passSeconds(60).map(({ forCatchUp, forKeepAlive }) => [
      forCatchUp.length,
      forKeepAlive.length,
    ]);
    expect(new Set(counts.map(([count]) => count))).toEqual(new Set([10]));
    expect(new Set(counts.map(([, count]) => count))).toEqual(new Set([40]));
  });

  it('skip no second when a turn is late, and have each stream once when it is very late', () => {
    add(120);
    expect(pass(2_999).forCatchUp.length + pass(1).forCatchUp.length).toBe(6);
    const { forKeepAlive, forCatchUp } = pass(600_000);
    expect([forKeepAlive.length, new Set(forKeepAlive).size]).toEqual([120, 120]);
    expect([forCatchUp.length, new Set(forCatchUp).size]).toEqual([120, 120]);
  });

  it('do nothing twice in one second', () => {
    add(60);
    expect(pass().forCatchUp).toHaveLength(1);
    expect(rounds.takeDue(now)).toEqual({ forKeepAlive: [], forCatchUp: [] });
    expect(rounds.takeDue(now - 5_000)).toEqual({ forKeepAlive: [], forCatchUp: [] });
    expect(pass().forCatchUp).toHaveLength(1);
  });
});
