import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CLIENT = join(__dirname, '..');
const TSC = require.resolve('typescript/bin/tsc');

function compiledPackageJson(): string {
  const source = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, description, license, engines } = source;
  const entry = { main: 'index.js', types: 'index.d.ts' };
  return `${JSON.stringify({ name, version, description, license, engines, ...entry }, null, 2)}\n`;
}

/** Compiles the client into a package: `build.ts [folder]`, by default `client/dist`. */
function main(): void {
  const folder = resolve(process.argv[2] ?? join(CLIENT, 'dist'));
  rmSync(folder, { recursive: true, force: true });
  const args = [TSC, '-p', join(CLIENT, 'tsconfig.build.json'), '--outDir', folder];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  if (status !== 0) return;
  writeFileSync(join(folder, 'package.json'), compiledPackageJson());
}

main();
