import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { homeFrom } from './home';
import { isRunning, until } from './processes';
import { earlierProcesses, type Program, startRecorded, stopEarlier } from './recorded-process';
import { typescriptProgram } from './typescript-program';

describe('a program that a set-up starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recorded-process-'));
  const home = homeFrom({ LOCAL_STACK_HOME: folder });
  const program: Program = {
    name: 'proxy',
    processTag: () => home.processTag,
    signal: 'SIGTERM',
    stopTimeoutMs: 5_000,
  };
  const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)', home.processTag] as const;
  const log = join(folder, 'log');
  const found = () => earlierProcesses(home, program, undefined);

  afterEach(async () => {
    await stopEarlier(home, program, undefined);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('is found by the next one, and stopped', async () => {
    const { pid } = await startRecorded(home, program, 4_711, command, log);
    expect(await until(() => found().length > 0, 5_000)).toBe(true);
    expect(found()).toEqual([{ pid, port: 4_711 }]);
    expect(await stopEarlier(home, program, undefined)).toBe(true);
    expect(await isRunning(pid, home.processTag)).toBe(false);
    expect(await stopEarlier(home, program, undefined)).toBe(false);
  });

  it('is found if the set-up is killed at the moment of the start', async () => {
    const file = join(folder, 'killed.ts');
    const source = `
      import { homeFrom } from ${JSON.stringify(join(__dirname, 'home'))};
      import { startRecorded } from ${JSON.stringify(join(__dirname, 'recorded-process'))};
      const home = homeFrom({ LOCAL_STACK_HOME: ${JSON.stringify(folder)} });
      void startRecorded(home, { name: 'proxy' }, 4_712, ${JSON.stringify(command)}, ${JSON.stringify(log)});
      process.kill(process.pid, 'SIGKILL');
    `;
    writeFileSync(file, source);
    const [executable, ...args] = typescriptProgram(file);
    const setup = spawn(executable, args, { stdio: 'inherit' });
    expect(await once(setup, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await until(() => found().some(({ port }) => port === 4_712), 5_000)).toBe(true);
    expect(await isRunning(found()[0]?.pid ?? 0, home.processTag)).toBe(true);
  });
});
