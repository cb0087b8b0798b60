import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks that imports between folders run one way: folders that import each other, directly or through others, have no direction, and
 * none of them can be read or moved alone. A folder with all that is in it counts beside its neighbours, and beside the files of the
 * folder that it is in. Modules, which join their folders, and tests do not count.
 */

const ROOT = join(__dirname, '..');
const SOURCES = ['src', 'dashboard/src', 'phone'];
const SOURCE_FILE = /(?<!\.spec|\.module|\.d)\.tsx?$/;
const IMPORT = /\b(?:from|import\(?)\s*'(\.[^']+)'/g;

/** A folder that a file is in, or its neighbour, imports the other. */
interface Edge {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

function importsOf(source: string): Edge[] {
  const files = readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => SOURCE_FILE.test(file) && !file.includes('node_modules'))
    .flatMap((name) => {
      const file = join(source, name);
      return [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].flatMap(([, path = '']) =>
        edgesBetween(file, dirname(file), folderOf(join(dirname(file), path))),
      );
    });
}

/** The folder of what an import names: of a file, or one with an index. */
function folderOf(path: string): string {
  const isFolder = ['ts', 'tsx'].some((ending) => existsSync(join(ROOT, path, `index.${ending}`)));
  return isFolder ? path : dirname(path);
}

/** Where the paths of two folders part: side by side, or at the files of the folder that the other is in. */
function edgesBetween(file: string, from: string, to: string): Edge[] {
  if (from === to) return [];
  const [one, other] = [from.split('/'), to.split('/')];
  const shared = one.findIndex((name, depth) => name !== other[depth]);
  const parting = shared === -1 ? one.length : shared;
  const sideOf = (path: readonly string[]) => [...path, '*'].slice(0, parting + 1).join('/');
  return [{ file, from: sideOf(one), to: sideOf(other) }];
}

/** What remains when all folders that import none of the rest, or that none of the rest imports, are taken away, again and again. */
function withoutDirection(edges: readonly Edge[]): readonly Edge[] {
  const importing = new Set(edges.map(({ from }) => from));
  const imported = new Set(edges.map(({ to }) => to));
  const rest = edges.filter(({ from, to }) => importing.has(to) && imported.has(from));
  return rest.length === edges.length ? rest : withoutDirection(rest);
}

const imports = SOURCES.flatMap(importsOf);
const filesByEdge = new Map<string, Set<string>>();
for (const { file, from, to } of withoutDirection(imports)) {
  const edge = `${from} imports ${to}`;
  filesByEdge.set(edge, (filesByEdge.get(edge) ?? new Set()).add(file));
}
if (filesByEdge.size > 0) console.error('Folders import each other:');
for (const [edge, files] of filesByEdge) console.error(`  ${edge}: ${[...files].join(', ')}`);
if (imports.length < 1_000) throw new Error('The imports were not found');
if (filesByEdge.size > 0) process.exitCode = 1;
