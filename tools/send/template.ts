/** A text with columns of a contact list in braces, such as `Hi {name}`. */
export class Template {
  /** Text and names of columns in turn. */
  private constructor(private readonly parts: readonly string[]) {}

  /** @throws Error for braces that stand around no name: what they would send is not what was meant. */
  static parse(text: string): Template {
    const parts = text.split(/\{([^{}]*)\}/);
    const stray = parts.some((part, index) => (isName(index) ? part.trim() === '' : /[{}]/.test(part)));
    if (stray) throw new Error(`--message: braces stand around the name of a column only, as in {name}`);
    return new Template(parts.map((part, index) => (isName(index) ? part.trim() : part)));
  }

  /** The columns it names, each once. */
  get columns(): string[] {
    return [...new Set(this.parts.filter((_, index) => isName(index)))];
  }

  /** The text with the columns' values in it. */
  fill(valueOf: (column: string) => string): string {
    return this.parts.map((part, index) => (isName(index) ? valueOf(part) : part)).join('');
  }
}

const isName = (index: number) => index % 2 === 1;
