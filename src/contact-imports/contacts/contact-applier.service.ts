import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { forEachInSlices } from '../../common/slices';
import type { Contact, ImportStamp } from '../../contacts/store/contact.schema';
import { ContactsRepository, newContact } from '../../contacts/store/contacts.repository';
import { LiveHints } from '../../infrastructure/live/live-hints';
import type { Import, ImportCounts } from '../store/import.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { type ImportRow, type RowOutcome } from '../store/import-row.schema';
import { CHANGING, ContactPlan, type PlannedContact, type PlannedRow } from './contact-plan';
import { ImportedContactsRepository } from './imported-contacts.repository';

/** Each failed attempt means that others have changed contacts of the same rows. */
const MAX_ATTEMPTS = 5;

/**
 * Makes contacts of rows. What a row changes is stored with it first, then the contacts are written, each with the row that changed it
 * last, and then what became of the rows: so a run that was interrupted is recognized by its contacts.
 */
@Injectable()
export class ContactApplier {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly imported: ImportedContactsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  async apply(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<ImportCounts> {
    const planned: PlannedRow[] = [];
    let pending = rows.filter(({ outcome }) => outcome === undefined);
    for (let attempt = 0; attempt < MAX_ATTEMPTS && pending.length > 0; attempt += 1) {
      const { written, failed } = await this.attempt(account, job, pending);
      planned.push(...written);
      pending = failed;
    }
    for (const row of pending) planned.push({ row, outcome: 'refused', refusal: CHANGING });
    await this.record(account, planned);
    this.hints.publish(account, 'contact');
    const outcomes = [
      ...rows.flatMap(({ outcome }) => outcome ?? []),
      ...planned.map(({ outcome }) => outcome),
    ];
    const count = (outcome: RowOutcome) => outcomes.filter((each) => each === outcome).length;
    return {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      refused: count('refused'),
    };
  }

  /** @returns the rows whose contacts are written, and those to be planned again. */
  private async attempt(account: AccountScope, job: Import, rows: readonly ImportRow[]) {
    const plan = new ContactPlan(job, await this.readContacts(account, rows));
    const planned: PlannedRow[] = [];
    await forEachInSlices(rows, (row) => planned.push(plan.plan(row)));
    await this.rows.recordChanges(
      account,
      planned.flatMap(({ row, contact, changes }) =>
        changes || (contact && row.changes) ? [{ row, contact: contact?._id, changes }] : [],
      ),
    );
    const failedIds = await this.write(account, job, plan.changed);
    const isFailed = ({ contact }: PlannedRow) =>
      contact !== undefined && failedIds.has(contact._id.toHexString());
    return {
      written: planned.filter((each) => !isFailed(each)),
      failed: planned.filter(isFailed).map(({ row }) => row),
    };
  }

  private async readContacts(account: AccountScope, rows: readonly ImportRow[]): Promise<Contact[]> {
    const numbers = rows.flatMap(({ entry }) => entry?.numbers.map(({ peerNumber }) => peerNumber) ?? []);
    const ids = rows.map(({ _id }) => _id);
    const [having, created] = await Promise.all([
      this.contacts.findByNumbers(account, [...new Set(numbers)]),
      // Of a run that was interrupted, and whose numbers were changed since.
      this.contacts.findMany(account, ids),
    ]);
    return [...new Map([...having, ...created].map((each) => [each._id.toHexString(), each])).values()];
  }

  /** @returns the ids of contacts that were not written. */
  private async write(
    account: AccountScope,
    job: Import,
    changed: readonly PlannedContact[],
  ): Promise<ReadonlySet<string>> {
    const now = this.clock.now();
    const stampOf = ({ lastRow = 0 }: PlannedContact): ImportStamp => ({ import: job._id, row: lastRow });
    const created: Contact[] = [];
    await forEachInSlices(
      changed.filter(({ before }) => !before),
      (contact) =>
        created.push(
          Object.assign(newContact(account, contact.content, now, contact._id), {
            imported: stampOf(contact),
          }),
        ),
    );
    const areInserted = created.length > 0 ? await this.contacts.insertMany(created) : [];
    const replaced = changed.flatMap((contact) =>
      contact.before
        ? [{ before: contact.before, content: contact.content, imported: stampOf(contact) }]
        : [],
    );
    const failed = await this.imported.replaceMany(account, replaced, now);
    return new Set([
      ...failed,
      ...created.flatMap(({ _id }, index) => (areInserted[index] ? [] : [_id.toHexString()])),
    ]);
  }

  private async record(account: AccountScope, planned: readonly PlannedRow[]): Promise<void> {
    await this.rows.refuse(
      account,
      planned.flatMap(({ row, refusal }) => (refusal ? [{ row, refusal }] : [])),
    );
    for (const outcome of ['created', 'updated', 'unchanged'] as const)
      await this.rows.recordOutcomes(
        account,
        outcome,
        planned.filter((each) => each.outcome === outcome).map(({ row }) => row),
      );
  }
}
