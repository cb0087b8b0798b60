/** Control characters, line separators and direction marks can forge terminal commands. */
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

/** Makes untrusted text safe to print on one line. */
export function sanitizeLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}
