/**
 * Control characters, line separators, and the marks that turn the direction of text around: they forge lines, terminal
 * commands and file names.
 */
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

/** A text of others as one line that is safe to show in a mail, a terminal or a log. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/** Whether it can be shown as it is. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}
