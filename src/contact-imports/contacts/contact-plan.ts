import type { Types } from 'mongoose';
import { ValidationFailed } from '../../common/errors';
import type { Contact, ContactContent } from '../../contacts/store/contact.schema';
import { contentOf } from '../../contacts/store/contacts.repository';
import type { Import } from '../store/import.schema';
import type { ImportRow, RowOutcome } from '../store/import-row.schema';
import { type ContactEntry, isPhoneNumber } from '../rows/contact-entry';
import { numberRefusal, type Refusal, refusal } from '../rows/refusal';
import {
  type ContactChanges,
  changesBetween,
  newContent,
  withEntry,
  withGroups,
} from '../rows/contact-changes';

/** A contact as it is after the rows that were planned so far. */
export interface PlannedContact {
  readonly _id: Types.ObjectId;
  /** As it was read; absent if a row creates it. */
  readonly before?: Contact;
  content: ContactContent;
  /** The last row that changes it. */
  lastRow?: number;
}

/** What becomes of a row. */
export interface PlannedRow {
  readonly row: ImportRow;
  readonly outcome: RowOutcome;
  readonly refusal?: Refusal;
  /** Of the outcomes created and updated, unless it was written before. */
  readonly contact?: PlannedContact;
  readonly changes?: ContactChanges;
}

/** Plans what rows do to contacts, one after the other: a row sees what the rows before it did. */
export class ContactPlan {
  private readonly byNumber = new Map<string, PlannedContact>();
  private readonly known = new Map<string, PlannedContact>();

  /** @param contacts those that have numbers of the rows, or that the rows have created. */
  constructor(
    private readonly job: Import,
    contacts: readonly Contact[],
  ) {
    for (const contact of contacts)
      this.remember({ _id: contact._id, before: contact, content: contentOf(contact) });
  }

  private get numberColumn(): string {
    return this.job.columns?.find(({ target }) => target.startsWith('number'))?.header ?? '';
  }

  /** The contacts that the planned rows change. */
  get changed(): PlannedContact[] {
    return [...this.known.values()].filter(({ lastRow }) => lastRow !== undefined);
  }

  plan(row: ImportRow): PlannedRow {
    const { entry } = row;
    if (!entry) return { row, outcome: row.outcome ?? 'unchanged' };
    const found = this.find(row, entry);
    if (found.length > 1) return refused(row, takenBySeveral(this.numberColumn, entry, found));
    const [contact] = found;
    if (contact?.before && isWritten(contact.before, this.job, row))
      return { row, outcome: writtenOutcome(contact, row) };
    const numbers = contact?.content.numbers ?? [];
    const unknown = entry.numbers.find(
      (number) =>
        !isPhoneNumber(number) && !numbers.some(({ peerNumber }) => peerNumber === number.peerNumber),
    );
    if (unknown) return refused(row, numberRefusal(entry.senderColumn ?? '', unknown.number, 'format'));
    try {
      return contact ? this.update(row, entry, contact) : this.create(row, entry);
    } catch (failure) {
      if (!(failure instanceof ValidationFailed)) throw failure;
      return refused(row, refusal('contact_full', '', '', `makes the contact too large: ${failure.message}`));
    }
  }

  private create(row: ImportRow, entry: ContactEntry): PlannedRow {
    const contact = { _id: row._id, content: newContent(entry, this.job), lastRow: row.row };
    this.remember(contact);
    return { row, outcome: 'created', contact };
  }

  private update(row: ImportRow, entry: ContactEntry, contact: PlannedContact): PlannedRow {
    const { content: before } = contact;
    const content =
      this.job.onExisting === 'skip' ? withGroups(before, this.job) : withEntry(before, entry, this.job);
    const changes = changesBetween(before, content);
    if (!changes) return { row, outcome: 'unchanged' };
    contact.content = content;
    contact.lastRow = row.row;
    this.remember(contact);
    return { row, outcome: 'updated', contact, changes };
  }

  private find(row: ImportRow, entry: ContactEntry): PlannedContact[] {
    const created = this.known.get(row._id.toHexString());
    const having = entry.numbers.flatMap(({ peerNumber }) => this.byNumber.get(peerNumber) ?? []);
    return [...new Set([...(created ? [created] : []), ...having])];
  }

  private remember(contact: PlannedContact): void {
    this.known.set(contact._id.toHexString(), contact);
    for (const { peerNumber } of contact.content.numbers) this.byNumber.set(peerNumber, contact);
  }
}

/** Whether the row, or a later one, was written by a run that was interrupted. */
const isWritten = ({ imported }: Contact, job: Import, { row }: ImportRow): boolean =>
  imported !== undefined && imported.import.equals(job._id) && imported.row >= row;

function writtenOutcome({ _id }: PlannedContact, row: ImportRow): RowOutcome {
  if (_id.equals(row._id)) return 'created';
  return row.changes ? 'updated' : 'unchanged';
}

const refused = (row: ImportRow, reason: Refusal): PlannedRow => ({
  row,
  outcome: 'refused',
  refusal: reason,
});

function takenBySeveral(column: string, entry: ContactEntry, found: readonly PlannedContact[]): Refusal {
  const names = found
    .slice(0, 3)
    .map(({ _id, content: { name } }) => `${name} (${_id.toHexString()})`.trim());
  const numbers = entry.numbers.map(({ number }) => number).join(', ');
  const text = `are numbers of several contacts: ${names.join(', ')}; merge them first`;
  return refusal('number_taken', column, numbers, text);
}

/** For a row whose contact is being changed by others all the time. */
export const CHANGING = refusal(
  'changing',
  '',
  '',
  'the contact was changed by others at the same time; import the row again',
);
