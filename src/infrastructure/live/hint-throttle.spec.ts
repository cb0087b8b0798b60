import { HintThrottle } from './hint-throttle';
import type { Hints } from './hint';

describe('HintThrottle', () => {
  let emitted: [account: string, hints: Hints][];
  let throttle: HintThrottle;

  beforeEach(() => {
    jest.useFakeTimers();
    emitted = [];
    throttle = new HintThrottle((account, hints) => emitted.push([account, hints]));
  });
  afterEach(() => jest.useRealTimers());

  it('emits the first hints at once, and later ones merged, four times a second', () => {
    for (let ms = 0; ms < 990; ms++) {
      throttle.add('ada', 'message', { ids: [`m${ms % 10}`] });
      jest.advanceTimersByTime(1);
    }
    expect(emitted).toHaveLength(4);
    expect(emitted[0]).toEqual(['ada', { message: { ids: ['m0'] } }]);
    expect(emitted[1]?.[1].message?.ids).toHaveLength(10);
    jest.advanceTimersByTime(250);
    expect(emitted).toHaveLength(5);
    jest.advanceTimersByTime(10_000);
    expect(emitted).toHaveLength(5);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps accounts and kinds apart', () => {
    throttle.add('ada', 'message', { ids: ['m'] });
    throttle.add('ada', 'batch', { ids: ['b'] });
    throttle.add('bob', 'message', { ids: ['n'] });
    jest.advanceTimersByTime(0);
    expect(emitted).toEqual([
      ['ada', { message: { ids: ['m'] }, batch: { ids: ['b'] } }],
      ['bob', { message: { ids: ['n'] } }],
    ]);
  });

  it('emits nothing after it was stopped', () => {
    throttle.add('ada', 'message', { ids: ['m'] });
    throttle.stop();
    jest.advanceTimersByTime(1_000);
    expect(emitted).toEqual([]);
  });
});
