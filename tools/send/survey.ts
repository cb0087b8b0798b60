import { createHash } from 'node:crypto';
import { type Contact, type ContactList, type Fault, isFault } from './contact-list';

/** How many faults are told one by one. */
const TOLD_FAULTS = 20;

/** What a list is found to be before anything of it is sent. */
export interface Survey {
  /** Messages that can be sent. */
  readonly count: number;
  readonly first: Contact | undefined;
  readonly faultCount: number;
  /** The first of the faults. */
  readonly faults: readonly Fault[];
  /** Of the file's content. */
  readonly hash: string;
}

/** Reads a list to its end. */
export async function survey(list: ContactList): Promise<Survey> {
  const hash = createHash('sha256');
  const faults: Fault[] = [];
  let count = 0;
  let faultCount = 0;
  let first: Contact | undefined;
  for await (const entry of list.read((bytes) => hash.update(bytes))) {
    if (isFault(entry)) {
      faultCount += 1;
      if (faults.length < TOLD_FAULTS) faults.push(entry);
    } else {
      count += 1;
      first ??= entry;
    }
  }
  return { count, first, faultCount, faults, hash: hash.digest('hex') };
}

/** The faults in words, one a line. */
export function faultLines({ faultCount, faults }: Survey): string[] {
  const more = faultCount - faults.length;
  const told = faults.map(({ line, reason }) => `line ${line}: ${reason}`);
  return more > 0 ? [...told, `and ${more} more`] : told;
}
