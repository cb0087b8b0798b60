import { createHash } from 'node:crypto';

/** Bounds the length of an identifier: a longer text is replaced by its SHA-256 in hex. */
export function hashLongText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? createHash('sha256').update(text).digest('hex') : text;
}
