import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is built of what, as paths from the root. */
export interface BuildTarget {
  /** Files and folders. The lock file determines the types of the dependencies. */
  readonly sources: readonly string[];
  /** A folder. */
  readonly output: string;
}

export const SERVICE: BuildTarget = {
  sources: [
    'package.json',
    'package-lock.json',
    'nest-cli.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'src',
  ],
  output: 'dist',
};

export const DASHBOARD: BuildTarget = {
  sources: [
    'package-lock.json',
    'openapi.json',
    ...['index.html', 'openapi-ts.config.ts', 'package.json', 'public', 'src', 'vite.config.ts'].map(
      (name) => `dashboard/${name}`,
    ),
  ],
  output: 'dashboard/dist',
};

const RECORD = '.build-record.json';
/** With it, the compiler writes changed files only. */
const COMPILER_CACHE = '.tsbuildinfo';

interface BuildRecord {
  readonly sources: string;
  readonly output: string;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

function hashSources(root: string, { sources }: BuildTarget): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of sources.flatMap((name) => filesIn(join(root, name)))) {
    if (file.endsWith('.spec.ts')) continue;
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Sizes and times, which change with any other build. */
function hashOutput(root: string, { output }: BuildTarget): string {
  const dist = join(root, output);
  if (!existsSync(dist)) return 'none';
  const hash = createHash('sha256');
  for (const file of filesIn(dist)) {
    if (file.endsWith(RECORD)) continue;
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file.slice(root.length)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function readRecord(root: string, target: BuildTarget): Partial<BuildRecord> {
  try {
    return JSON.parse(readFileSync(join(root, target.output, RECORD), 'utf8')) as Partial<BuildRecord>;
  } catch {
    return {};
  }
}

/** Whether the output is unchanged since the last build of the current sources. */
export function isBuilt(root: string, target: BuildTarget): boolean {
  const { sources, output } = readRecord(root, target);
  return sources === hashSources(root, target) && output === hashOutput(root, target);
}

/**
 * Removes the record, builds, and writes it again: an interrupted build has no record.
 * @param build resolves to whether it succeeded.
 */
export async function recordBuild(
  root: string,
  target: BuildTarget,
  build: () => Promise<boolean>,
): Promise<boolean> {
  const dist = join(root, target.output);
  const isKnown = readRecord(root, target).output === hashOutput(root, target);
  rmSync(join(dist, RECORD), { force: true });
  // The compiler would not repair files that something else has changed.
  if (!isKnown) rmSync(join(dist, COMPILER_CACHE), { force: true });
  const sources = hashSources(root, target);
  if (!(await build())) return false;
  writeFileSync(
    join(dist, RECORD),
    JSON.stringify({ sources, output: hashOutput(root, target) } satisfies BuildRecord),
  );
  return true;
}
