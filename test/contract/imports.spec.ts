import { LimitsConfig } from '../../src/config/sections/limits.config';
import { MAX_LISTS_PER_ACCOUNT } from '../../src/contacts/store/contact-limits';
import { FileStager } from '../../src/contact-imports/staging/file-stager.service';
import { ImportInterrupted } from '../../src/contact-imports/store/import.errors';
import { ImportRunner } from '../../src/contact-imports/runs/import-runner.service';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors } from './contract-client';
import { CONSENT, IMPORT } from './expected-fields';
import { fieldErrors } from './field-table';
import { IMPORTS } from './operations';

const CSV = { headers: { 'content-type': 'text/csv' } };

interface ImportJson {
  readonly _id: string;
  readonly listId?: string;
}

describe('the operations of imports match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const upload = (body: string, query = {}, id = 'importContacts') =>
    client.data<ImportJson>(id, { ...CSV, body, query });

  it('an import and its undo', async () => {
    const query = { fileName: 'a.csv', list: 'Shop', tags: 'new' };
    const job = await upload('name,number\nAna,+447700900123\nBo,x\n', query);
    expect(fieldErrors(IMPORT, job)).toEqual([]);
    const path = { id: job._id };
    expect(await client.data('getImport', { path })).toEqual(job);
    const [listed = {}] = await client.data<object[]>('listImports');
    expect(fieldErrors(IMPORT, listed)).toEqual([]);
    await client.call('listImports', '400 VALIDATION_FAILED', { query: { cursor: 'none' } });
    const refused = await client.call('exportRefusedRows', '200', { path });
    expect(refused.body).toContain('3,number,x,');
    const exported = await client.call('exportContacts', '200', { query: { listId: job.listId ?? '' } });
    expect(exported.body).toContain('Ana,+447700900123');
    await client.call('exportContacts', '400 VALIDATION_FAILED', { query: { listId: 'x' } });
    await client.call('exportContacts', '404 LIST_NOT_FOUND', { query: { listId: NOBODY } });
    jest.spyOn(service.get(ImportRunner), 'run').mockResolvedValueOnce();
    await client.call('undoImport', '202', { path });
    service.clock.advance(1);
    expect(fieldErrors(IMPORT, await client.data('undoImport', { path }))).toEqual([]);
  });

  it('opt-outs, and their record', async () => {
    const job = await upload('+447700900124\n', { topic: 'offers' }, 'importSuppressions');
    expect(fieldErrors(IMPORT, job)).toEqual([]);
    const [record = {}] = await client.data<object[]>('listConsents');
    expect(fieldErrors(CONSENT, record)).toEqual([]);
  });

  it('their errors', async () => {
    const call = (id: string, expected: string, query = {}, body = '+447700900125\n') =>
      client.call(id, expected, { ...CSV, body, query });
    for (const id of ['importContacts', 'importSuppressions']) {
      await call(id, '400 VALIDATION_FAILED', { column: 'x' });
      await call(id, '400 IMPORT_FILE_UNREADABLE', {}, 'a,b\nc,d\n');
      jest.spyOn(service.get(ImportRunner), 'run').mockResolvedValueOnce();
      const started = await call(id, '202');
      await call(id, '503 IMPORT_RUNNING');
      const path = { id: (started.body as { data: ImportJson }).data._id };
      await client.data('undoImport', { path });
      jest.spyOn(service.get(FileStager), 'stage').mockRejectedValueOnce(new ImportInterrupted());
      await call(id, '503 IMPORT_INTERRUPTED');
    }
    await call('importContacts', '404 LIST_NOT_FOUND', { listId: NOBODY });
    const segment = { body: { name: 'Tagged', segment: { tag: 'x' } } };
    const { _id } = await client.data<ImportJson>('createList', segment, 201);
    await call('importContacts', '400 LIST_IS_SEGMENT', { listId: _id });
    for (let count = 2; count < MAX_LISTS_PER_ACCOUNT; count += 1)
      await client.account.post('/gateway/lists', { name: `List ${count}` }).expect(201);
    await call('importContacts', '400 LIST_LIMIT_REACHED', { list: 'One more' });
    const done = await upload('+447700900126\n');
    jest.spyOn(service.get(ImportRunner), 'run').mockResolvedValueOnce();
    await call('importContacts', '202');
    await client.call('undoImport', '503 IMPORT_RUNNING', { path: { id: done._id } });
  });

  it('too many field names, and too many exports at once', async () => {
    const other = new ContractClient(document, await service.newAccount());
    for (let file = 0; file < 8; file += 1) {
      const names = Array.from({ length: 25 }, (_, index) => `f${file * 25 + index}`);
      const body = `number,${names.join(',')}\n+44770090012${file},${names.map(() => 'x').join(',')}\n`;
      await other.data('importContacts', { ...CSV, body });
    }
    await other.call('exportContacts', '400 TOO_MANY_FIELD_NAMES');
    const limits = service.get(LimitsConfig);
    const allowed = limits.maxExportsPerAccount;
    Object.assign(limits, { maxExportsPerAccount: 0 });
    await other.call('exportContacts', '429 CONCURRENCY_LIMITED');
    await other.call('exportRefusedRows', '429 CONCURRENCY_LIMITED', { path: { id: NOBODY } });
    Object.assign(limits, { maxExportsPerAccount: allowed });
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, new ContractClient(document, await service.newAccount()), IMPORTS);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(IMPORTS)).toEqual([]);
  });
});
