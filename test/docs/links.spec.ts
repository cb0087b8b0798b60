import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const pages = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((name) => name !== '' && existsSync(join(ROOT, name)));

/** A page without code blocks. */
function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
    .replace(/^```.*?^```$/gms, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ''));
}

/** The anchors of the headings, as GitHub creates them. */
function anchorsOf(page: string): string[] {
  return Array.from(proseOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The error of a link, if any. */
function faultOf(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return `${page}: there is no ${target}`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined;
  return `${page}: ${target} has no heading ${anchor}`;
}

describe('the documentation', () => {
  it('has no broken links', () => {
    const faults = pages.flatMap((page) =>
      Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => faultOf(page, link)),
    );
    expect(faults.length).toBeGreaterThan(20);
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('has no semicolons in diagrams, which end a line', () => {
    const diagrams = pages.flatMap((page) =>
      Array.from(
        readFileSync(join(ROOT, page), 'utf8').matchAll(/^```mermaid\n(.*?)^```$/gms),
        ([text]) => text,
      ),
    );
    expect(diagrams.length).toBeGreaterThan(5);
    expect(diagrams.filter((diagram) => diagram.includes(';'))).toEqual([]);
  });

  it('names only existing scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = pages.flatMap((page) =>
      Array.from(
        readFileSync(join(ROOT, page), 'utf8').matchAll(/\bnpm run ([\w:]+)\b(?! -w)/g),
        ([, name = '']) => name,
      ),
    );
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});
