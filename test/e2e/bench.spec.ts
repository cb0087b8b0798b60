import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { typescriptProgram } from 'messaging-gateway-local-stack/typescript-program';
import { ProgramResult, runProgram } from '../support/program';

const MAIN = join(__dirname, '..', '..', 'bench', 'main.ts');
const [NODE, ...BEFORE] = typescriptProgram(MAIN);
const { MONGODB_URI = '', REDIS_URL = '' } = process.env;

interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly limitPerSecond: number;
  readonly ratio: number;
  readonly p50: number;
  readonly p99: number;
}

/** The remaining databases of a run with this output. */
async function listDatabases(output: string): Promise<string[]> {
  const [, database = ''] = /on database (bench_\w+)/.exec(output) ?? [];
  expect(database).not.toBe('');
  const client = await new mongo.MongoClient(MONGODB_URI).connect();
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    return databases.map(({ name }) => name).filter((name) => name.startsWith(database));
  } finally {
    await client.close();
  }
}

describe('npm run bench', () => {
  it('prints the figures of each row as JSON and drops its databases', async () => {
    const { code, output, error }: ProgramResult = await runProgram(
      NODE,
      [...BEFORE, '--seconds', '1', '--rows', 'stats,dispatch', '--json', '--commands'],
      { environment: { MONGODB_URI, REDIS_URL } },
    );
    expect({ code, error }).toEqual({ code: 0, error: expect.stringContaining('find apikeys') as string });
    const { rows } = JSON.parse(output) as { rows: Row[] };
    expect(rows.map(({ name }) => name)).toEqual(['stats', 'dispatch']);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['name', 'perSecond', 'limitPerSecond', 'ratio', 'p50', 'p99']);
      expect(row.perSecond).toBeGreaterThan(1);
      expect(row.ratio).toBeCloseTo(row.perSecond / row.limitPerSecond, 2);
      expect(row.p99).toBeGreaterThanOrEqual(row.p50);
    }
    expect(await listDatabases(error)).toEqual([]);
  });

  it('cleans up when it is interrupted', async () => {
    const child = spawn(NODE, [...BEFORE, '--rows', 'stats'], {
      env: { ...process.env, MONGODB_URI, REDIS_URL },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let output = '';
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('stats: preparing')) resolve();
      });
    });
    expect(await listDatabases(output)).toHaveLength(2);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(await listDatabases(output)).toEqual([]);
  });

  it('names the invalid option', async () => {
    const { code, error } = await runProgram(NODE, [...BEFORE, '--rows', 'nonsense']);
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringContaining('--rows must be among send_one') as string,
    });
  });
});
