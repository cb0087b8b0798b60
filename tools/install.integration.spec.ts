import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function checkout(npm: string): { folder: string; install: () => { status: number | null; stderr: string } } {
  const folder = mkdtempSync(join(tmpdir(), 'install-'));
  for (const name of ['tools', 'bin']) mkdirSync(join(folder, name));
  copyFileSync(join(__dirname, 'install.mjs'), join(folder, 'tools', 'install.mjs'));
  writeFileSync(join(folder, 'package.json'), '{"engines":{"node":">=20.19"}}');
  writeFileSync(join(folder, 'package-lock.json'), '{"lockfileVersion":3}');
  writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, 'bin', 'npm'), 0o755);
  const install = (): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, [join(folder, 'tools', 'install.mjs')], {
      encoding: 'utf8',
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
    });
  return { folder, install };
}

const COUNTING = 'mkdir -p node_modules; echo "$@" >> calls';

describe('install.mjs', () => {
  it('installs when node_modules are missing or package-lock.json has changed, and only then', () => {
    const { folder, install } = checkout(COUNTING);
    const calls = (): number => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length;
    expect(install()).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/npm ci: \d+\.\d s\n$/) as unknown,
    });
    expect(install()).toMatchObject({ status: 0, stderr: '' });
    expect(calls()).toBe(1);
    writeFileSync(join(folder, 'package-lock.json'), '{"lockfileVersion":3,"name":"changed"}');
    install();
    expect(calls()).toBe(2);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    install();
    expect(calls()).toBe(3);
    rmSync(folder, { recursive: true });
  });

  it('says in one sentence that npm failed, and tries again next time', () => {
    const { folder, install } = checkout('exit 1');
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm ci failed: [^\n]+\.\n$/);
    expect(existsSync(join(folder, 'node_modules', '.install-stamp'))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('refuses a Node older than package.json asks for', () => {
    const { folder, install } = checkout(COUNTING);
    writeFileSync(join(folder, 'package.json'), '{"engines":{"node":">=99.1"}}');
    const { status, stderr } = install();
    expect([status, stderr]).toEqual([
      1,
      `Node 99.1 or newer is required; this is ${process.versions.node}.\n`,
    ]);
    expect(existsSync(join(folder, 'calls'))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('README and docs name the Node of package.json', () => {
    const root = join(__dirname, '..');
    const read = (file: string) => readFileSync(join(root, file), 'utf8');
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const version = engines.node.replace('>=', '');
    expect(read('README.md')).toContain(`(https://nodejs.org) ${version} or newer`);
    expect(read('docs/operate/operations.md')).toContain(`Node.js ${version} or later`);
  });

  it('says that a checkout is incomplete', () => {
    const { folder, install } = checkout(COUNTING);
    rmSync(join(folder, 'package-lock.json'));
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^There is no package-lock.json in /);
    rmSync(folder, { recursive: true });
  });
});
