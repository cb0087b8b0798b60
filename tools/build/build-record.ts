import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Besides `src`. The lock file determines the types of the dependencies. */
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
const RECORD = '.build-record.json';
/** With it, the compiler writes changed files only. */
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

function hashSources(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const files = [...SETTINGS.map((name) => join(root, name)), ...filesIn(join(root, 'src'))];
  for (const file of files) {
    if (file.endsWith('.spec.ts') || !existsSync(file)) continue;
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Sizes and times, which change with any other build. */
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

/** Whether `dist` is the unchanged output of the last build of the current sources. */
export function isBuilt(root: string): boolean {
  const { sources, output } = readRecord(root);
  return sources === hashSources(root) && output === hashOutput(root);
}

/**
 * Removes the record, builds, and writes it again: an interrupted build has no record.
 * @param build resolves to whether it succeeded.
 */
export async function recordBuild(root: string, build: () => Promise<boolean>): Promise<boolean> {
  const dist = join(root, 'dist');
  const isKnown = readRecord(root).output === hashOutput(root);
  rmSync(join(dist, RECORD), { force: true });
  // The compiler would not repair files that something else has changed.
  if (!isKnown) rmSync(join(dist, COMPILER_CACHE), { force: true });
  const sources = hashSources(root);
  if (!(await build())) return false;
  writeFileSync(
    join(dist, RECORD),
    JSON.stringify({ sources, output: hashOutput(root) } satisfies BuildRecord),
  );
  return true;
}
