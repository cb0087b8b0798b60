import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/checkout';
import { runProgram } from '../support/program';

/** Test bodies by spec file. Each would pass without the guard. */
const SPECS = {
  'connects.spec.ts': `require('node:net').connect(1, '127.0.0.1').on('error', () => undefined);`,
  'catches.spec.ts': `try { require('node:net').connect(1, '127.0.0.1').on('error', () => undefined); } catch {}`,
  'listens.spec.ts': `const server = require('node:http').createServer().listen(0, () => server.close());`,
  'fetches.spec.ts': `return fetch('http://127.0.0.1:9999').catch(() => undefined);`,
  'sends-datagram.spec.ts': `require('node:dgram').createSocket('udp4').send('x', 1, '127.0.0.1').unref();`,
  'starts-process.spec.ts': `require('node:child_process').spawn('true');`,
  'computes.spec.ts': `expect(1 + 1).toBe(2);`,
  'connects.integration.spec.ts': `require('node:net').connect(1, '127.0.0.1').on('error', () => undefined);`,
};

interface JestResult {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** @returns the status of each spec. */
async function runSpecs(config: string): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'unit-specs-'));
  try {
    for (const [file, body] of Object.entries(SPECS)) {
      writeFileSync(join(folder, file), `it('runs', () => { ${body} });`);
    }
    const jest = join(ROOT, 'node_modules', '.bin', 'jest');
    const args = ['--config', config, '--rootDir', ROOT, `--roots=${folder}`, '--json', '--runInBand'];
    const { output, error } = await runProgram(jest, args, { directory: ROOT });
    if (!output.startsWith('{')) throw new Error(error);
    const { testResults } = JSON.parse(output) as JestResult;
    return Object.fromEntries(testResults.map(({ name, status }) => [name.slice(folder.length + 1), status]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('unit tests', () => {
  it('fail when they open a socket or start a process', async () => {
    const expected = {
      'connects.spec.ts': 'failed',
      'catches.spec.ts': 'failed',
      'listens.spec.ts': 'failed',
      'fetches.spec.ts': 'failed',
      'sends-datagram.spec.ts': 'failed',
      'starts-process.spec.ts': 'failed',
      'computes.spec.ts': 'passed',
    };
    expect(await runSpecs('jest.unit.config.js')).toEqual(expected);
    // The full test run applies the same rule.
    expect(await runSpecs('jest.config.js')).toEqual({
      ...expected,
      'connects.integration.spec.ts': 'passed',
    });
  });

  it('have the script names of Nest projects', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const names = ['start:dev', 'lint', 'format', 'test', 'test:unit', 'test:e2e', 'test:cov', 'build'];
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });
});
