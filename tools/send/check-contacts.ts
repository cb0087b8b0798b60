import { createHash } from 'node:crypto';
import { type Contact, type ContactList, type InvalidRow, isInvalidRow } from './contact-list';

const MAX_LISTED_ERRORS = 20;

/** The result of reading a list before anything is sent. */
export interface ContactCheck {
  readonly count: number;
  readonly first: Contact | undefined;
  readonly invalidCount: number;
  /** Only the first ones. */
  readonly invalidRows: readonly InvalidRow[];
  /** Of the content of the file. */
  readonly hash: string;
}

export async function checkContacts(list: ContactList): Promise<ContactCheck> {
  const hash = createHash('sha256');
  const invalidRows: InvalidRow[] = [];
  let count = 0;
  let invalidCount = 0;
  let first: Contact | undefined;
  for await (const entry of list.read((bytes) => hash.update(bytes))) {
    if (isInvalidRow(entry)) {
      invalidCount += 1;
      if (invalidRows.length < MAX_LISTED_ERRORS) invalidRows.push(entry);
    } else {
      count += 1;
      first ??= entry;
    }
  }
  return { count, first, invalidCount, invalidRows, hash: hash.digest('hex') };
}

export function errorLines({ invalidCount, invalidRows }: ContactCheck): string[] {
  const more = invalidCount - invalidRows.length;
  const told = invalidRows.map(({ line, reason }) => `line ${line}: ${reason}`);
  return more > 0 ? [...told, `and ${more} more`] : told;
}
