import { DatabaseError } from 'pg';

import { ConflictRetry } from './conflict-retry';

const DEADLOCK = Object.assign(new DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' });

describe('ConflictRetry', () => {
  it('retries conflicting commands one at a time', async () => {
    let running = 0;
    let most = 0;
    const command = () => {
      let isFirst = true;
      return async (): Promise<void> => {
        if (isFirst) {
          isFirst = false;
          throw DEADLOCK;
        }
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
      };
    };
    const conflictRetry = new ConflictRetry();
    await Promise.all(Array.from({ length: 20 }, () => conflictRetry.run('c', command())));
    expect(most).toBe(1);
  });

  it('throws the error after the timeout', async () => {
    const conflictRetry = new ConflictRetry(50);
    let runs = 0;
    const lost = conflictRetry.run('c', () => {
      runs += 1;
      return Promise.reject(DEADLOCK);
    });
    await expect(lost).rejects.toBe(DEADLOCK);
    expect(runs).toBeGreaterThan(1);
  });

  it('does not retry a command that fails without a conflict', async () => {
    let runs = 0;
    const failing = new ConflictRetry().run('c', () => {
      runs += 1;
      return Promise.reject(new Error('a bad command'));
    });
    await expect(failing).rejects.toThrow('a bad command');
    expect(runs).toBe(1);
  });
});
