import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const SOURCES = fileURLToPath(new URL('src', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const MANTINE = dirname(resolve('@mantine/core/styles.css'));

/** Packages whose components have components of the core. */
const OTHERS = ['charts', 'dates', 'dropzone', 'notifications', 'spotlight'].map((name) =>
  join(dirname(resolve(`@mantine/${name}/styles.css`)), 'esm'),
);

const IMPORTED = /import\s*\{([^}]*)\}\s*from\s*["']@mantine\/core["']/g;
/** Between selectors, not within `:where(h1, h2)`. */
const SEPARATOR = /,(?![^()]*\))/;
const CLASS = /\bm_[0-9a-f]+\b/g;

/** Leaves out the styles of components that nothing uses: about a third of the styles of the first load. */
export function usedMantineStyles(): Plugin {
  return {
    name: 'used-mantine-styles',
    apply: 'build',
    enforce: 'pre',
    transform(css, id) {
      if (!id.endsWith('@mantine/core/styles.css')) return undefined;
      const used = usedClasses();
      const isUsed = (selector: string) => (selector.match(CLASS) ?? []).every((name) => used.has(name));
      return css.replace(/([^{}]*)\{[^{}]*\}/g, (rule, selectors: string) =>
        selectors.split(SEPARATOR).some(isUsed) ? rule : '',
      );
    },
  };
}

/** The classes of the components that are imported, and of those that they are made of. */
function usedClasses(): ReadonlySet<string> {
  const index = join(MANTINE, 'esm', 'index.mjs');
  const files = new Map(
    [...readFileSync(index, 'utf8').matchAll(/import \{([^}]*)\} from "(\.[^"]*)"/g)].flatMap(
      ([, names = '', path = '']) =>
        namesIn(names).map((name) => [name, join(dirname(index), path)] as const),
    ),
  );
  const pending = [SOURCES, ...OTHERS]
    .flatMap(scriptsIn)
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(IMPORTED)])
    .flatMap(([, names = '']) => namesIn(names))
    .flatMap((name) => files.get(name) ?? []);
  const read = new Set<string>();
  const classes = new Set<string>();
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (read.has(file)) continue;
    read.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [name] of text.matchAll(CLASS)) classes.add(name);
    for (const [, path = ''] of text.matchAll(/from "(\.[^"]*)"/g)) pending.push(join(dirname(file), path));
  }
  return classes;
}

const scriptsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name))
    .map((name) => join(folder, name));

const namesIn = (list: string) =>
  list.split(',').map(
    (name) =>
      name
        .replace(/^\s*type\s/, '')
        .trim()
        .split(/\s+as\s+/)[0] ?? '',
  );
