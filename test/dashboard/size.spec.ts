import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = join(__dirname, '..', '..', 'dashboard', 'dist');
const KILOBYTE = 1_000;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

const manifest = JSON.parse(readFileSync(join(BUILT, 'manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The files that a browser loads before it shows what these sources make. */
function filesOf(
  sources: readonly string[],
  known = new Set<string>(),
  files = new Set<string>(),
): Set<string> {
  for (const source of sources) {
    if (known.has(source)) continue;
    known.add(source);
    const chunk = manifest[source];
    if (!chunk) throw new Error(`${source} is not in the manifest`);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    filesOf(chunk.imports ?? [], known, files);
  }
  return files;
}

/** In bytes, compressed with gzip. */
const sizeOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length, 0);

/** The page and its texts in English, from the routes. */
function pages(): [path: string, sources: string[]][] {
  const router = readFileSync(join(BUILT, '..', 'src', 'router.tsx'), 'utf8');
  const found = router.matchAll(/page\(\s*'([^']+)',\s*\[([^\]]*)\],\s*\(\) => import\('\.\/([^']+)'\)/g);
  return [...found].map(([, path = '', catalogues = '', page = '']) => [
    path,
    [
      `src/${page}.tsx`,
      ...[...catalogues.matchAll(/'(\w+)'/g)].map(
        ([, name = '']) => `src/i18n/en/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`,
      ),
    ],
  ]);
}

describe('the size of the dashboard, script and style compressed with gzip', () => {
  const shell = filesOf(['index.html', 'src/i18n/en/common.ts', 'src/i18n/en/shell.ts']);
  const added = pages().map(([path, sources]): [string, number] => [
    path,
    sizeOf([...filesOf(sources)].filter((file) => !shell.has(file))),
  ]);

  it('is at most 250 kB for the first load of the overview', () => {
    const [[path, overview] = ['', 0]] = added;
    expect(path).toBe('/');
    const first = sizeOf(shell) + overview;
    process.stdout.write(`First load: ${(first / KILOBYTE).toFixed(0)} kB\n`);
    expect(first).toBeLessThan(250 * KILOBYTE);
  });

  // A new campaign reads numbers by the numbering plans of all countries, which take 32 kB.
  const limitOf = (path: string) => (path === '/campaigns/new' ? 360 : 330);

  it('is at most 330 kB for the first load of each other page, 360 kB for a new campaign', () => {
    expect(added.length).toBeGreaterThan(15);
    for (const [path, size] of added) {
      const first = sizeOf(shell) + size;
      process.stdout.write(`${path}: ${(first / KILOBYTE).toFixed(0)} kB\n`);
      expect([path, first < limitOf(path) * KILOBYTE]).toEqual([path, true]);
    }
  });
});
