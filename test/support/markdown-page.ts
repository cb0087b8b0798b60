import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '..', '..', 'docs');
/** Code blocks in lists are indented. */
const FENCED = /^ *```(\w+)\n(.*?)^ *```$/gms;

/** A Markdown page of `docs`. */
export class MarkdownPage {
  private constructor(readonly text: string) {}

  static read(name: string): MarkdownPage {
    return new MarkdownPage(readFileSync(join(DOCS, name), 'utf8'));
  }

  /** The code blocks of a language, in order. */
  codeBlocks(language: string): string[] {
    return Array.from(this.text.matchAll(FENCED)).flatMap(([, of, code = '']) =>
      of === language ? [code] : [],
    );
  }

  /** The code block whose first line ends with a file name. */
  codeFile(name: string): string {
    const found = Array.from(this.text.matchAll(FENCED)).find(([, , code = '']) =>
      code.split('\n', 1)[0]?.endsWith(` ${name}`),
    );
    if (!found?.[2]) throw new Error(`The page has no code block ${name}`);
    return found[2];
  }

  /** The cells of the table whose first column has this heading, row by row. */
  table(firstHeading: string): string[][] {
    const rows = this.text.split('\n').map((line) => (line.startsWith('|') ? cellsOf(line) : undefined));
    const head = rows.findIndex((cells) => cells?.[0] === firstHeading);
    if (head < 0) throw new Error(`The page has no table with the first column ${firstHeading}`);
    const end = rows.indexOf(undefined, head);
    return rows.slice(head + 2, end).filter((cells) => cells !== undefined);
  }
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
