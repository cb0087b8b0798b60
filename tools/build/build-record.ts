import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a build reads beside `src`: the dependencies' types come from the lock file. */
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
const RECORD = '.build-record.json';
/** The compiler's own notes. With them it writes only what it takes for changed. */
const COMPILER_CACHE = '.tsbuildinfo';

interface BuildRecord {
  readonly sources: string;
  readonly output: string;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** The content of everything a build reads. */
function hashSources(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const files = [...SETTINGS.map((name) => join(root, name)), ...filesIn(join(root, 'src'))];
  for (const file of files) {
    if (file.endsWith('.spec.ts') || !existsSync(file)) continue;
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Sizes and times of everything a build has written: they change with any other build, and with a file that is gone. */
function hashOutput(root: string): string {
  const dist = join(root, 'dist');
  if (!existsSync(dist)) return 'none';
  const hash = createHash('sha256');
  for (const file of filesIn(dist)) {
    if (file.endsWith(RECORD)) continue;
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file.slice(root.length)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function readRecord(root: string): Partial<BuildRecord> {
  try {
    return JSON.parse(readFileSync(join(root, 'dist', RECORD), 'utf8')) as Partial<BuildRecord>;
  } catch {
    return {};
  }
}

/** Whether `dist` is exactly what the last complete build of today's sources has written. */
export function isBuilt(root: string): boolean {
  const { sources, output } = readRecord(root);
  return sources === hashSources(root) && output === hashOutput(root);
}

/**
 * Builds, and records what was built. The record is removed before and written after: a build that was killed has none.
 * @param build resolves to whether it has succeeded.
 */
export async function recordBuild(root: string, build: () => Promise<boolean>): Promise<boolean> {
  const dist = join(root, 'dist');
  const isKnown = readRecord(root).output === hashOutput(root);
  rmSync(join(dist, RECORD), { force: true });
  // What else has changed in dist, the compiler would not write again.
  if (!isKnown) rmSync(join(dist, COMPILER_CACHE), { force: true });
  const sources = hashSources(root);
  if (!(await build())) return false;
  writeFileSync(
    join(dist, RECORD),
    JSON.stringify({ sources, output: hashOutput(root) } satisfies BuildRecord),
  );
  return true;
}
