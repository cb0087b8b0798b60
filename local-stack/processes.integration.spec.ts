import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from './ports';
import { stopProcess, findOnPath, isRunning, run, startDetached } from './processes';

describe('processes of the stack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'processes-'));
  const log = join(folder, 'logs', 'log');

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are found on the PATH by name', () => {
    expect(findOnPath('sh', '/nowhere:/bin')).toBe('/bin/sh');
    expect(findOnPath('sh', '/nowhere')).toBeUndefined();
    expect(findOnPath('sh', undefined)).toBeUndefined();
  });

  it('write their output to a log, which the error names', async () => {
    await run('sh', ['-c', 'echo first; echo second >&2'], log);
    expect(readFileSync(log, 'utf8')).toBe('first\nsecond\n');
    await expect(run('sh', ['-c', 'exit 3'], log)).rejects.toThrow(`sh exited with 3; see ${log}`);
    await expect(run('/no/such/program', [], log)).rejects.toThrow('could not be started');
  });

  it('are recognised by their command line, and stopped', async () => {
    const processTag = `processTag-${process.pid}`;
    const pid = await startDetached(process.execPath, ['-e', 'setInterval(() => {}, 1000)', processTag], log);
    expect(await isRunning(pid, processTag)).toBe(true);
    expect(await isRunning(pid, 'another tag')).toBe(false);
    await stopProcess(pid, 'another tag', 'SIGTERM', 1000);
    expect(await isRunning(pid, processTag)).toBe(true);
    await stopProcess(pid, processTag, 'SIGTERM', 5000);
    expect(await isRunning(pid, processTag)).toBe(false);
  });

  it('are killed if they ignore the signal', async () => {
    const processTag = `deaf-${process.pid}`;
    const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const pid = await startDetached(process.execPath, ['-e', program, processTag], log);
    await stopProcess(pid, processTag, 'SIGTERM', 500);
    expect(await isRunning(pid, processTag)).toBe(false);
  });

  it('get the first free one of the preferred ports', async () => {
    const free = await freePort();
    expect(await freePort(undefined, free)).toBe(free);
  });
});
