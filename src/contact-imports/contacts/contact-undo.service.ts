import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { byId, distinctIds } from '../../common/documents';
import type { Contact, ContactContent } from '../../contacts/store/contact.schema';
import { contentOf, ContactsRepository } from '../../contacts/store/contacts.repository';
import { LiveHints } from '../../infrastructure/live/live-hints';
import type { Import, UndoCounts } from '../store/import.schema';
import type { ImportRow } from '../store/import-row.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { isSameContent, newContent, withoutChanges } from '../rows/contact-changes';
import { ImportedContactsRepository } from './imported-contacts.repository';

type UndoResult = keyof UndoCounts;

/** A contact as it is after the rows that were undone so far; undefined if it is gone. */
interface UndoneContact {
  readonly before: Contact;
  content: ContactContent | undefined;
  /** The first row of the file that is undone. */
  firstRow?: number;
}

/** Each failed attempt means that others have changed contacts of the same rows. */
const MAX_ATTEMPTS = 5;

/**
 * Takes back what rows did to contacts, from the last row on: a contact that a row created is removed if it is as the row made it and has
 * no messages; of one that a row changed, what is as the row made it gets back its value. What is taken back is stored with the rows first,
 * and the contact is written with the row: so a run that was interrupted is recognized by its contacts.
 */
@Injectable()
export class ContactUndo {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly imported: ImportedContactsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  async undo(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<UndoCounts> {
    const results = new Map<ImportRow, UndoResult>();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1)
      if (await this.attempt(account, job, rows, results)) break;
    this.hints.publish(account, 'contact');
    const count = (result: UndoResult) => [...results.values()].filter((each) => each === result).length;
    return {
      removed: count('removed'),
      restored: count('restored'),
      kept: count('kept'),
      changed: count('changed'),
    };
  }

  /** @returns whether nobody has changed one of the contacts meanwhile. */
  private async attempt(
    account: AccountScope,
    job: Import,
    rows: readonly ImportRow[],
    results: Map<ImportRow, UndoResult>,
  ): Promise<boolean> {
    const ids = distinctIds(rows.flatMap((row) => contactOf(row) ?? []));
    const read = await this.contacts.findMany(account, ids);
    const withMessages = await this.listWithMessages(account, read);
    const contacts = new Map(
      [...byId(read)].map(([id, before]): [string, UndoneContact] => [
        id,
        { before, content: contentOf(before) },
      ]),
    );
    for (const row of rows) {
      const id = contactOf(row)?.toHexString();
      if (id === undefined) continue;
      const contact = contacts.get(id);
      // What an earlier attempt or run has undone counts as that said, or says.
      const result = undoRow(job, row, contact, withMessages.has(id));
      if (!results.has(row) || contact?.content) results.set(row, result);
    }
    const changing = rows.filter(({ outcome }) => outcome === 'updated');
    const isUndone = (row: ImportRow) => results.get(row) === 'restored';
    await this.rows.recordUndo(account, changing.filter(isUndone), true);
    await this.rows.recordUndo(
      account,
      changing.filter((row) => !isUndone(row)),
      false,
    );
    return this.write(account, job, [...contacts.values()]);
  }

  private async listWithMessages(
    account: AccountScope,
    contacts: readonly Contact[],
  ): Promise<ReadonlySet<string>> {
    const numbers = contacts.flatMap((contact) => contact.peerNumbers);
    const found =
      numbers.length > 0 ? await this.imported.listNumbersWithMessages(account, numbers) : new Set();
    const having = contacts.filter(({ peerNumbers }) => peerNumbers.some((number) => found.has(number)));
    return new Set(having.map(({ _id }) => _id.toHexString()));
  }

  private async write(
    account: AccountScope,
    job: Import,
    contacts: readonly UndoneContact[],
  ): Promise<boolean> {
    const removed = contacts.filter(({ content }) => !content).map(({ before }) => before);
    const restored = contacts.flatMap(({ before, content, firstRow = 0 }) => {
      if (!content || isSameContent(content, contentOf(before))) return [];
      return [{ before, content, imported: { import: job._id, row: firstRow, isUndone: true as const } }];
    });
    if (removed.length + restored.length === 0) return true;
    await this.imported.removeMany(account, removed);
    await this.imported.writeMany(account, restored, this.clock.now());
    // What is left of them was changed by others, and is judged again.
    const left = await this.contacts.findMany(account, [
      ...removed.map(({ _id }) => _id),
      ...restored.map(({ before }) => before._id),
    ]);
    const found = byId(left);
    return (
      removed.every(({ _id }) => !found.has(_id.toHexString())) &&
      restored.every(({ before: { _id }, content }) => {
        const now = found.get(_id.toHexString());
        return !now || isSameContent(contentOf(now), content);
      })
    );
  }
}

const contactOf = ({ _id, outcome, contact }: ImportRow) =>
  outcome === 'created' ? _id : outcome === 'updated' ? contact : undefined;

function undoRow(
  job: Import,
  row: ImportRow,
  contact: UndoneContact | undefined,
  hasMessages: boolean,
): UndoResult {
  const { outcome, entry, changes } = row;
  if (outcome === 'created') {
    if (!contact?.content) return 'removed';
    if (hasMessages) return 'kept';
    if (!entry || !isSameContent(contact.content, newContent(entry, job))) return 'changed';
    contact.content = undefined;
    return 'removed';
  }
  // With the contact, what the row changed is gone.
  if (!contact?.content || !changes) return 'restored';
  if (isTakenBack(contact.before, job, row)) return row.isUndone === false ? 'changed' : 'restored';
  const { content, isComplete } = withoutChanges(contact.content, changes);
  contact.content = content;
  contact.firstRow = row.row;
  return isComplete ? 'restored' : 'changed';
}

/** Whether a run that was interrupted has taken the row back. */
const isTakenBack = ({ imported }: Contact, job: Import, { row }: ImportRow): boolean =>
  imported?.isUndone === true && imported.import.equals(job._id) && imported.row <= row;
