import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { tryWithTimeout } from './try-with-timeout';

function blockFor(milliseconds: number): void {
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt);
}

describe('tryWithTimeout', () => {
  it('returns the result, and undefined on a failure or after a second', async () => {
    expect(await tryWithTimeout(Promise.resolve('result'))).toBe('result');
    expect(await tryWithTimeout(Promise.reject<string>(new Error('failed')))).toBeUndefined();
    const startedAt = performance.now();
    expect(await tryWithTimeout(new Promise<string>(() => undefined))).toBeUndefined();
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it('returns a result that arrived while the process was busy', async () => {
    // Timers follow, and answers that have arrived after them.
    await setImmediate();
    const file = stat(__filename);
    const result = tryWithTimeout(file);
    blockFor(1_100);
    expect((await result)?.isFile()).toBe(true);
  });
});
