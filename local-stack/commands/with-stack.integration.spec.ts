import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { typescriptProgram } from '../typescript-program';

const STACK = { MONGODB_URI: 'mongodb://127.0.0.1:1/given', REDIS_URL: 'redis://127.0.0.1:2' };

function withStack(...command: string[]): ReturnType<typeof spawn> {
  const [program, ...args] = typescriptProgram(join(__dirname, 'with-stack.ts'));
  return spawn(program, [...args, ...command], {
    env: { ...process.env, ...STACK },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstOutput(child: ReturnType<typeof spawn>): Promise<string> {
  if (child.stdout === null) throw new Error('The output is not piped.');
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return chunk.toString();
}

describe('with-stack', () => {
  it('passes the addresses to the command, and returns its exit code', async () => {
    const child = withStack(
      'node',
      '-e',
      'console.log(process.env.MONGODB_URI, process.env.REDIS_URL); process.exit(7)',
    );
    const ended = once(child, 'exit');
    expect(await firstOutput(child)).toBe(`${STACK.MONGODB_URI} ${STACK.REDIS_URL}\n`);
    expect(await ended).toEqual([7, null]);
  });

  it('forwards signals', async () => {
    const program =
      "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')";
    const child = withStack('node', '-e', program);
    await firstOutput(child);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([9, null]);
  });
});
