import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { typescriptProgram } from '../typescript-program';

const STACK = {
  MONGODB_URI: "mongodb://user:it's$HOME`x`@127.0.0.1:1/given?directConnection=true&authSource=admin",
  REDIS_URL: 'redis://default:"secret"@127.0.0.1:2',
};

describe('services:env', () => {
  it('prints exports that a shell evaluates to the exact addresses', async () => {
    const program = typescriptProgram(join(__dirname, 'services-env.ts')).map((part) => `'${part}'`);
    const print = `node -p 'JSON.stringify([process.env.MONGODB_URI, process.env.REDIS_URL])'`;
    const script = `exports=$(${program.join(' ')}) && unset MONGODB_URI REDIS_URL && eval "$exports" && ${print}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, ...STACK } });
    expect(JSON.parse(stdout)).toEqual([STACK.MONGODB_URI, STACK.REDIS_URL]);
  });
});
