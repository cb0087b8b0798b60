import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { withLock } from './lock-file';

const quietly = (): void => undefined;

describe('the lock file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  const file = join(folder, 'deeper', 'lock');

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('runs one task at a time', async () => {
    let running = 0;
    let most = 0;
    let waited = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      // The others have no chance to come too late.
      while (waited < 2) await pause(5);
      running -= 1;
    };
    const wait = (): void => {
      waited += 1;
    };
    await Promise.all([1, 2, 3].map(() => withLock(file, wait, work)));
    expect(most).toBe(1);
    expect(waited).toBe(2);
    expect(existsSync(file)).toBe(false);
  });

  it('is released by a task that fails', async () => {
    const failing = withLock(file, quietly, () => Promise.reject(new Error('work failed')));
    await expect(failing).rejects.toThrow('work failed');
    await expect(withLock(file, quietly, () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('is taken over from a process that has exited', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, `${pid} 1\n`);
    await expect(withLock(file, quietly, () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('is taken over from an earlier process with the same pid', async () => {
    writeFileSync(file, `${process.pid} 1\n`); // the computer started later than one tick after its own start
    await expect(withLock(file, quietly, () => Promise.resolve('done'))).resolves.toBe('done');
  });
});
