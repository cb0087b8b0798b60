import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks that no two folders side by side import each other: what one needs of the other then has no direction, and neither can be
 * read or moved alone. A folder and the folders in it are one. Modules, which join their folders, and tests do not count.
 */

const ROOT = join(__dirname, '..');
const SOURCES = ['src', 'dashboard/src', 'phone'];
const SOURCE_FILE = /(?<!\.spec|\.module|\.d)\.tsx?$/;
const IMPORT = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

function importsOf(source: string): Import[] {
  const files = readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => SOURCE_FILE.test(file) && !file.includes('node_modules'))
    .flatMap((name) => {
      const file = join(source, name);
      return [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, path = '']) => ({
        file,
        from: dirname(file),
        to: dirname(join(dirname(file), path)),
      }));
    });
}

/** The folders side by side that contain two folders: where their paths part. */
function sides(from: string, to: string): readonly [string, string] | undefined {
  const [one, other] = [from.split('/'), to.split('/')];
  const parting = one.findIndex((name, depth) => name !== other[depth]);
  // One contains the other.
  if (parting === -1 || parting === other.length) return undefined;
  return [one.slice(0, parting + 1).join('/'), other.slice(0, parting + 1).join('/')];
}

const imports = SOURCES.flatMap(importsOf);
const bySides = new Map<string, Import[]>();
for (const each of imports) {
  const found = sides(each.from, each.to)?.join(' ');
  if (found) bySides.set(found, [...(bySides.get(found) ?? []), each]);
}
const problems = [...bySides].flatMap(([key, one]) => {
  const [from = '', to = ''] = key.split(' ');
  const other = from < to ? bySides.get(`${to} ${from}`) : undefined;
  const filesOf = (side: readonly Import[]) => [...new Set(side.map(({ file }) => file))].join(', ');
  return other ? [`${from} and ${to} import each other: ${filesOf(one)}; ${filesOf(other)}`] : [];
});
for (const problem of problems) console.error(problem);
if (imports.length < 1_000) throw new Error('The imports were not found');
if (problems.length > 0) process.exitCode = 1;
