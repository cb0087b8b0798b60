import { forEachInSlices, inSlices, mapInSlices } from './slices';

const busy = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

function* stepsOf(count: number, work: () => void): Generator<undefined, number> {
  for (let step = 0; step < count; step++) {
    work();
    yield;
  }
  return count;
}

describe('work in slices', () => {
  it('has the result and the order of the work', async () => {
    expect(await inSlices(stepsOf(10, () => undefined))).toBe(10);
    expect(await mapInSlices([3, 1, 2], (item, index) => [item, index])).toEqual([
      [3, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it('fails where a step fails', async () => {
    const failing = forEachInSlices([1, 2, 3], (item) => {
      if (item === 2) throw new Error('the second');
    });
    await expect(failing).rejects.toThrow('the second');
  });

  it('lets others have their turn, and only one piece of work continues in each', async () => {
    const running: string[] = [];
    const works = ['a', 'b', 'c'].map((name) =>
      inSlices(
        stepsOf(5, () => {
          running.push(name);
          busy(3);
        }),
      ),
    );
    const slicesPerTurn: number[] = [];
    let before = running.length;
    const count = () => {
      slicesPerTurn.push(running.length - before);
      before = running.length;
    };
    const turn = () => {
      count();
      if (running.length < 15) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(works);
    expect(Math.max(...slicesPerTurn)).toBe(1);
    expect(running).toHaveLength(15);
    // They alternate.
    expect(new Set(running.slice(3, 6))).toEqual(new Set(['a', 'b', 'c']));
  });
});
