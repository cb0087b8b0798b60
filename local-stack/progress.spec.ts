import { setTimeout as sleep } from 'node:timers/promises';
import { Progress } from './progress';

function screen(isTTY: boolean): { written: string[]; isTTY: boolean; write: (text: string) => void } {
  const written: string[] = [];
  return { written, isTTY, write: (text) => void written.push(text) };
}

describe('progress', () => {
  it('prints a line at the start and one with the seconds at the end of a step', async () => {
    const log = screen(false);
    await expect(new Progress('Redis', log).step('starting', () => Promise.resolve(1))).resolves.toBe(1);
    expect(log.written).toEqual([
      'Redis     starting …\n',
      expect.stringMatching(/^Redis {5}starting: 0\.\d s\n$/),
    ]);
  });

  it('rewrites its line on a terminal', async () => {
    const terminal = screen(true);
    await new Progress('Redis', terminal).step('starting', async () => {
      while (terminal.written.length < 2) await sleep(20);
    });
    expect(terminal.written.length).toBeGreaterThanOrEqual(3);
    expect(terminal.written.every((text) => text.startsWith('\r\u001b[KRedis     starting: '))).toBe(true);
    expect(terminal.written.filter((text) => text.endsWith('\n'))).toHaveLength(1);
  });

  it('prints that a step failed', async () => {
    const log = screen(false);
    const failing = new Progress('Redis', log).step('starting', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(log.written.at(-1)).toMatch(/failed after 0\.\d s\n$/);
  });
});
