import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '..', '..', 'docs');
/** A block in a list is indented. */
const FENCED = /^ *```(\w+)\n(.*?)^ *```$/gms;

/** A page of docs/, for tests that hold it against the service. */
export class Document {
  private constructor(readonly text: string) {}

  static read(name: string): Document {
    return new Document(readFileSync(join(DOCS, name), 'utf8'));
  }

  /** The code blocks of a language, in their order. */
  blocks(language: string): string[] {
    return Array.from(this.text.matchAll(FENCED)).flatMap(([, of, code = '']) =>
      of === language ? [code] : [],
    );
  }

  /** The code block that names itself so in its first line. */
  file(name: string): string {
    const found = Array.from(this.text.matchAll(FENCED)).find(([, , code = '']) =>
      code.split('\n', 1)[0]?.endsWith(` ${name}`),
    );
    if (!found?.[2]) throw new Error(`The document has no ${name}`);
    return found[2];
  }

  /** The rows of the table with this first column head, as the texts of their cells. */
  table(firstHead: string): string[][] {
    const rows = this.text.split('\n').map((line) => (line.startsWith('|') ? cellsOf(line) : undefined));
    const head = rows.findIndex((cells) => cells?.[0] === firstHead);
    if (head < 0) throw new Error(`The document has no table of ${firstHead}`);
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
