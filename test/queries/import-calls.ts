import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { ImportedBlocksRepository } from '../../src/consent/imports/imported-blocks.repository';
import { ImportedContactsRepository } from '../../src/contact-imports/contacts/imported-contacts.repository';
import type { Import } from '../../src/contact-imports/store/import.schema';
import type { ImportRow } from '../../src/contact-imports/store/import-row.schema';
import { ImportRowsRepository } from '../../src/contact-imports/store/import-rows.repository';
import { type ClaimedImport, ImportsRepository } from '../../src/contact-imports/store/imports.repository';
import { ContactsRepository } from '../../src/contacts/store/contacts.repository';
import type { AssembledService } from './assembled-service';
import { contactNumber, IMPORT, keyOfNumber, type Stored } from './stored';

const LIMIT = 10;

/** Calls the repositories of imports. */
export async function callImports(service: AssembledService, { owner, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const imports = service.get(ImportsRepository);
  const job = await imports.find(account, IMPORT);
  if (!job) throw new Error('It is stored');
  const times = { now, until: now };
  const claim = new Types.ObjectId();
  const claimed: ClaimedImport = Object.assign({}, job, { claim });
  const position = { createdAt: now, id: IMPORT };
  await imports.begin(Object.assign({}, job, { _id: new Types.ObjectId() }));
  await imports.list(account, undefined, LIMIT);
  await imports.list(account, position, LIMIT);
  await imports.recordRead(job, { rowCount: 1, columns: [], dueAt: now, updatedAt: now });
  await imports.startApplying(job, { rowCount: 1, columns: [], dueAt: now, updatedAt: now });
  await imports.claim(account, IMPORT, claim, times);
  await imports.countApplied(claimed, 1, { created: 1, updated: 0, unchanged: 0, refused: 0 }, times);
  await imports.countUndone(claimed, 1, { removed: 1, restored: 0, kept: 0, changed: 0 }, times);
  await imports.turnToUndo(claimed, now);
  await imports.requestUndo(account, IMPORT, now);
  await imports.release(claimed, now);
  await imports.end(claimed, { now, removeAt: now });
  await imports.startUndo(job, now);
  await imports.listDue(now, LIMIT);
  await imports.giveUp(job, now);
  await callRows(service, account, job);
  await callContacts(service, account, job, now);
  await imports.remove(job);
}

type Account = ReturnType<typeof accountScope>;

async function callRows(service: AssembledService, account: Account, job: Import): Promise<void> {
  const rows = service.get(ImportRowsRepository);
  const [row] = await rows.listFrom(job, 0, LIMIT);
  if (!row) throw new Error('It is stored');
  const added: ImportRow = {
    _id: new Types.ObjectId(),
    user: account.user,
    import: job._id,
    row: 1e6,
    line: 1,
  };
  await rows.insert([added]);
  await rows.listBefore(job, 100, LIMIT);
  await rows.recordChanges(account, [{ row, contact: row._id, changes: { addedTags: ['x'] } }]);
  await rows.recordOutcomes(account, 'unchanged', [row]);
  await rows.recordUndo(account, [row], true);
  await rows.refuse(account, [{ row, refusal: { field: '', value: '', code: 'cells', reason: '' } }]);
  await rows.listRefused(job, 0, LIMIT);
  await rows.erase(account, [row._id], [contactNumber(3).peerNumber]);
  await rows.removeAll(job);
}

async function callContacts(
  service: AssembledService,
  account: Account,
  { _id }: Import,
  now: Date,
): Promise<void> {
  const contacts = service.get(ImportedContactsRepository);
  const found = await service.get(ContactsRepository).findByNumbers(account, [contactNumber(9).peerNumber]);
  const changes = found.map((before) => ({ before, content: before, imported: { import: _id, row: 1 } }));
  await contacts.replaceMany(account, changes, now);
  await contacts.writeMany(account, changes, now);
  await contacts.listNumbersWithMessages(account, [contactNumber(9).peerNumber]);
  await contacts.removeMany(account, found);
  const blocks = service.get(ImportedBlocksRepository);
  const numberKey = keyOfNumber(1);
  const decision = { numberKey, number: contactNumber(1).peerNumber, topic: '', at: now };
  await blocks.addRecords(account, [{ ...decision, state: 'out', source: 'import', uploadKey: 'import 1' }]);
  await blocks.block(account, [{ ...decision, covers: 'undeclared', imported: { import: _id, row: 1 } }]);
  await blocks.lift(account, [_id], _id, now);
  await blocks.listOtherwiseBlocked(account, [numberKey], '', _id);
}
