/** A text with column names in braces, such as `Hi {name}` or `Hi {{name}}`. */
export class Template {
  /** Text and column names alternate. */
  private constructor(private readonly parts: readonly string[]) {}

  /** @throws Error for braces without a name. */
  static parse(text: string): Template {
    const parts = text.replace(/\{\{([^{}]*)\}\}/g, '{$1}').split(/\{([^{}]*)\}/);
    const stray = parts.some((part, index) => (isName(index) ? part.trim() === '' : /[{}]/.test(part)));
    if (stray) throw new Error(`--message: braces must contain the name of a column, such as {name}`);
    return new Template(parts.map((part, index) => (isName(index) ? part.trim() : part)));
  }

  get columns(): string[] {
    return [...new Set(this.parts.filter((_, index) => isName(index)))];
  }

  fill(valueOf: (column: string) => string): string {
    return this.parts.map((part, index) => (isName(index) ? valueOf(part) : part)).join('');
  }
}

const isName = (index: number) => index % 2 === 1;
