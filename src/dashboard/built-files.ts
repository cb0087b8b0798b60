import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { MemoryFile } from '../common/http/files/memory-file';
import { prepareFile } from '../common/http/files/prepared-file';

const TYPES: Readonly<Record<string, string | undefined>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

/**
 * The files of a folder by their names, without hidden ones. The build has compressed them: `x.js.br` is an encoding of `x.js`.
 * @param excluded names of files that are not served.
 */
export function readBuiltFiles(
  folder: string,
  cacheControl: string,
  excluded: readonly string[] = [],
): ReadonlyMap<string, MemoryFile> {
  const names = new Set(
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  );
  const read = (name: string) => readFile(join(folder, name));
  const readIfBuilt = async (name: string) => (names.has(name) ? read(name) : undefined);
  const isServed = (name: string) =>
    !name.startsWith('.') &&
    !excluded.includes(name) &&
    !Object.values(SUFFIXES).some((suffix) => name.endsWith(suffix));
  return new Map(
    [...names].filter(isServed).map((name) => [
      name,
      new MemoryFile(TYPES[extname(name)] ?? 'application/octet-stream', cacheControl, async () =>
        prepareFile(await read(name), {
          br: await readIfBuilt(`${name}${SUFFIXES.br}`),
          gzip: await readIfBuilt(`${name}${SUFFIXES.gzip}`),
        }),
      ),
    ]),
  );
}
