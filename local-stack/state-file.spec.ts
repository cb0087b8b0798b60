import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseState, readState, type StackState, writeState } from './state-file';

describe('the state file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  const file = join(folder, 'state.json');
  const state: StackState = {
    mongodb: {
      source: 'documentdb',
      server: { pid: 11, port: 21 },
      proxy: { pid: 12, port: 22, fingerprint: 'abc' },
    },
    redis: { pid: 13, port: 23 },
  };

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('is empty before the first set-up', () => {
    expect(readState(file)).toEqual({});
  });

  it('returns what was written, and leaves no draft', async () => {
    await writeState(file, state);
    expect(readState(file)).toEqual(state);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  it.each([
    '',
    '{"mongodb":',
    '[]',
    '"text"',
    '{"mongodb":{"source":"elsewhere","server":{"pid":1,"port":2}}}',
  ])('is empty if it contains %j', (text) => {
    writeFileSync(file, text);
    expect(readState(file)).toEqual({});
  });

  it('has the proxy of an earlier version, which is restarted', () => {
    const front = { pid: 12, port: 22, program: 'abc' };
    const text = JSON.stringify({ mongodb: { source: 'documentdb', server: { pid: 11, port: 21 }, front } });
    expect(parseState(text).mongodb?.proxy).toEqual({ pid: 12, port: 22, fingerprint: '' });
  });

  it('keeps its valid parts', () => {
    const text = JSON.stringify({
      mongodb: { source: 'documentdb' },
      redis: { pid: 1, port: 2, more: true },
    });
    expect(parseState(text)).toEqual({ mongodb: undefined, redis: { pid: 1, port: 2 } });
  });
});
