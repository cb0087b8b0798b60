/** Control characters, line separators and direction marks: they can forge log lines, terminal commands and file names. */
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const INDENT = '    ';

/** Makes untrusted text safe to show on one line of a mail, a terminal or a log. */
export function sanitizeLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}

/** Makes untrusted text of several lines safe for a log: lines after the first are indented, so they cannot forge an entry. */
export function sanitizeLines(text: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 || /^(\s|$)/.test(line) ? '' : INDENT) + sanitizeLine(line))
    .join('\n');
}
