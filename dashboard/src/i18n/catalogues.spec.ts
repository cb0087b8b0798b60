import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import de from './de';
import en from './en';
import es from './es';

const SOURCES = join(__dirname, '..');

/** Attributes whose values people read. */
const READ_ATTRIBUTES = new Set([
  'alt',
  'aria-label',
  'caption',
  'description',
  'error',
  'label',
  'legend',
  'message',
  'nothingFound',
  'nothingFoundMessage',
  'placeholder',
  'text',
  'title',
]);

const hasWords = (text: string) => /\p{L}{2,}/u.test(text);

function textsIn(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = shownText(node);
    if (text !== undefined && hasWords(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${file.slice(SOURCES.length + 1)}:${line + 1}: ${text.trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text that a node shows without a catalogue. */
function shownText(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text;
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return undefined;
  const text = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ')
    : node.text;
  const holder = ts.isJsxExpression(node.parent) ? node.parent.parent : node.parent;
  if (ts.isJsxAttribute(holder)) return READ_ATTRIBUTES.has(holder.name.getText()) ? text : undefined;
  return ts.isJsxElement(holder) || ts.isJsxFragment(holder) ? text : undefined;
}

/** Each text by its path. */
function entriesOf(catalogue: object, path = ''): [path: string, text: string][] {
  return Object.entries(catalogue).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[`${path}${name}`, value] as [string, string]]
      : entriesOf(value as object, `${path}${name}.`),
  );
}

const NAMES = Object.keys(en);

/** The files of `src` that a file imports at once, itself included. */
function withImports(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) [^;]*?'(\.[^']+)';/gms,
  )) {
    const found = ['.tsx', '.ts'].map((ending) => join(dirname(file), path) + ending).find(existsSync);
    if (found?.startsWith(SOURCES) && !found.includes('/i18n/')) withImports(found, known);
  }
  return known;
}

/** The catalogues whose texts a page shows. */
function cataloguesOf(page: string): string[] {
  const texts = [...withImports(page)].map((file) => readFileSync(file, 'utf8')).join('\n');
  return NAMES.filter((name) => new RegExp(`['"\`]${name}\\.(?:[a-zA-Z]|\\$\\{)`).test(texts));
}

const placeholdersOf = (text: string) => [...text.matchAll(/{{\s*([\w.]+)/g)].map(([, name]) => name).sort();

describe('the catalogues', () => {
  it('have every text of the pages', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap((name) => textsIn(join(SOURCES, name)))).toEqual([]);
  });

  it('of the texts that a page shows are loaded with it, and no others', () => {
    const router = readFileSync(join(SOURCES, 'router.tsx'), 'utf8');
    const pages = [
      ...router.matchAll(/page\(\s*'([^']+)',\s*\[([^\]]*)\],\s*\(\) => import\('\.\/([^']+)'\)/g),
    ];
    expect(pages.length).toBeGreaterThan(15);
    for (const [, path, listed = '', file = ''] of pages) {
      const loaded = [...listed.matchAll(/'(\w+)'/g)].map(([, name]) => name);
      const shown = cataloguesOf(join(SOURCES, `${file}.tsx`));
      const ofPage = shown.filter((name) => !['common', 'shell'].includes(name));
      expect([path, loaded.toSorted()]).toEqual([path, ofPage.toSorted()]);
    }
  });

  it.each(Object.entries({ de, es }))('are complete in %s, with the same placeholders', (_, catalogue) => {
    const texts = new Map(entriesOf(catalogue));
    for (const [path, text] of entriesOf(en)) {
      expect([path, texts.has(path)]).toEqual([path, true]);
      expect([path, placeholdersOf(texts.get(path) ?? '')]).toEqual([path, placeholdersOf(text)]);
      expect([path, texts.get(path)?.trim()]).not.toEqual([path, '']);
    }
    expect(texts.size).toBe(entriesOf(en).length);
  });
});
