import { createHash } from 'node:crypto';

/** A text that identifies something; one of more than `maxCharacters` is replaced by its SHA-256 in hex. */
export function hashLongText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? createHash('sha256').update(text).digest('hex') : text;
}
