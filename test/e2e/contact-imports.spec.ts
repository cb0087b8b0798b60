import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { ImportRunner } from '../../src/contact-imports/runs/import-runner.service';
import { READING_LEASE_MS } from '../../src/contact-imports/staging/file-stager.service';
import { DAY_MS } from '../../src/common/durations';
import type { TestClient } from '../support/client';
import { countStoredDocuments } from '../support/count-stored-documents';
import { readCsv } from '../support/csv';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { TestService } from '../support/service';

type Json = Record<string, unknown>;
interface ImportJson extends Json {
  readonly _id: string;
  readonly state: string;
  readonly counts: Json;
  readonly refusals: Json[];
}

const GERMAN_EXCEL = [
  'sep=;',
  'Vorname;Name;Handy;Festnetz;Gruppen;Ort;Bemerkung',
  'Ana;Marín;"0151 23456789";;Kunde, VIP;Köln;"mag ""Kaffee"";\nruft an"',
  'Bo;Öz;+44 7700 900123;030 1234567;;;',
  'Cy;;4,47E+11;;;;',
  'Di;;;;;Bonn;',
  `Ed;;0151 23456780;;;${'x'.repeat(1_001)};`,
  ';;;;;;',
  'Ana;Marín;;0151-23456789;;;',
  'Fo;;0151 23456781;;;;;;zu;viel',
].join('\r\n');

describe('imports of contacts', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler' },
      limits: { headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, checkIntervalMs: 50 },
    });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    await service.collection('accounts').updateOne({ _id: client.user }, { $set: { defaultCountry: 'DE' } });
  });
  afterAll(() => service.stop());

  const importOf = ({ body }: { body: unknown }) => (body as { data: ImportJson }).data;
  const listOf = ({ body }: { body: unknown }) => (body as { data: Json[] }).data;
  const upload = (file: string | Buffer, query = '', path = 'contacts', type = 'text/csv') =>
    client.post(`/gateway/${path}/import${query}`, '').set('content-type', type).send(file);
  const importFile = async (file: string | Buffer, query = '', path = 'contacts') =>
    importOf(await upload(file, query, path).expect(200));
  const contacts = async (query = '') =>
    listOf(await client.get(`/gateway/contacts?limit=100${query}`).expect(200));
  const undo = async ({ _id }: ImportJson) =>
    importOf(await client.delete(`/gateway/imports/${_id}`).expect(200));
  const storedRows = () => service.collection('importrows').countDocuments({ user: client.user });

  it('take what Excel makes, refuse rows by line, column, value and reason, and answer the counts', async () => {
    const job = await importFile(GERMAN_EXCEL, '?fileName=kunden.csv');
    expect(job).toMatchObject({
      ...{ kind: 'contacts', state: 'done', fileName: 'kunden.csv', rowCount: 7, appliedCount: 7 },
      counts: { created: 2, updated: 0, unchanged: 1, refused: 4 },
      columns: [
        { header: 'Vorname', target: 'firstName' },
        { header: 'Name', target: 'lastName' },
        { header: 'Handy', target: 'number:Handy' },
        { header: 'Festnetz', target: 'number:Festnetz' },
        { header: 'Gruppen', target: 'tags' },
        { header: 'Ort', target: 'field:Ort' },
        { header: 'Bemerkung', target: 'notes' },
      ],
    });
    expect(job.refusals.map(({ line, field, code }) => [line, field, code])).toEqual([
      [6, 'Handy', 'number_scientific'],
      [7, 'Handy', 'number_missing'],
      [8, 'Ort', 'too_long'],
      [11, '', 'cells'],
    ]);
    expect(await contacts()).toMatchObject([
      {
        name: 'Ana Marín',
        numbers: [{ number: '0151 23456789', label: 'Handy' }],
        ...{ tags: ['Kunde', 'VIP'], fields: { Ort: 'Köln' }, notes: 'mag "Kaffee";\nruft an' },
      },
      {
        name: 'Bo Öz',
        numbers: [{ number: '+44 7700 900123' }, { number: '030 1234567', label: 'Festnetz' }],
      },
    ]);
    const { text, headers } = await client.get(`/gateway/imports/${job._id}/refused`).expect(200);
    expect(headers['content-disposition']).toBe(`attachment; filename="refused-${job._id}.csv"`);
    const rows = readCsv(text);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({ line: '6', field: 'Handy', value: '4,47E+11' });
    expect(rows[0]?.reason).toContain('format the column of phone numbers as text');
  });

  it('change what the file has and never empty anything; the same file twice changes nothing', async () => {
    const file = 'name,number,tags,city,notes\nAna,+447700900123,a,Leeds,x\nBo,+447700900124,,,\n';
    await importFile(file);
    const before = await contacts();
    expect(await importFile(file)).toMatchObject({ counts: { created: 0, updated: 0, unchanged: 2 } });
    expect(await contacts()).toEqual(before);
    const next = 'Phone;Name;City;Tags\n07700 900123;;York;b\n+44 7700 900124;Bob;;\n+447700900125;Cy;;\n';
    const job = await importFile(next.replace('07700 900123', '+44 (0)7700 900123'));
    expect(job).toMatchObject({ counts: { created: 1, updated: 2, unchanged: 0, refused: 0 } });
    expect(await contacts()).toMatchObject([
      { name: 'Ana', fields: { city: 'Leeds', City: 'York' }, tags: ['a', 'b'], notes: 'x' },
      { name: 'Bob' },
      { name: 'Cy' },
    ]);
    expect(await undo(job)).toMatchObject({
      state: 'undone',
      undone: { removed: 1, restored: 2, kept: 0, changed: 0 },
    });
    expect(await contacts()).toMatchObject(before.map(({ updatedAt, ...contact }) => contact));
  });

  it('add to a list, which they create, and give tags; with skip they leave the rest of contacts alone', async () => {
    await importFile('name,number\nAna,+447700900123\n');
    const query = '?list=Shop&tags=new,%22a, b%22&onExisting=skip';
    const job = await importFile('name,number\nAnna,+447700900123\nBo,+447700900124\n', query);
    expect(job).toMatchObject({ counts: { created: 1, updated: 1 }, tags: ['new', 'a, b'] });
    const [list] = listOf(await client.get('/gateway/lists').expect(200));
    expect(list).toMatchObject({ name: 'Shop', memberCount: 2 });
    expect(await contacts(`&listId=${String(list?._id)}`)).toMatchObject([
      { name: 'Ana', tags: ['new', 'a, b'] },
      { name: 'Bo', tags: ['new', 'a, b'] },
    ]);
    expect(await importFile('+447700900126\n', '?list=SHOP')).toMatchObject({ listId: list?._id });
    await upload('+447700900126\n', `?listId=${'0'.repeat(24)}`).expect(404);
    await upload('+447700900126\n', `?listId=${String(list?._id)}&list=Shop`).expect(400);
  });

  it('take numbers on one line, files without a header, and columns as they are named', async () => {
    expect(await importFile('+447700900123; +447700900124;0151 23456789')).toMatchObject({
      columns: [{ header: '1', target: 'number' }],
      counts: { created: 3 },
    });
    expect(await importFile('Ana;x;+447700900123\n')).toMatchObject({
      columns: [{ target: 'name' }, { target: 'ignore' }, { target: 'number' }],
      counts: { updated: 1 },
    });
    const query = '?column=field:Town&column=number:Work&column=name&header=true';
    expect(await importFile('a,b,c\nYork,+447700900128,Di\n', query)).toMatchObject({
      columns: [{ target: 'field:Town' }, { target: 'number:Work' }, { target: 'name' }],
    });
    expect(await contacts('&search=di')).toMatchObject([
      { fields: { Town: 'York' }, numbers: [{ label: 'Work' }] },
    ]);
    const latin = Buffer.from('name;number\nJ\xfcrgen;+447700900129\n', 'latin1');
    await importFile(latin, '?encoding=windows-1252');
    expect(await contacts('&search=jurgen')).toMatchObject([{ name: 'Jürgen' }]);
    const refused = await upload('a,b\n1,2\n', '?column=nummer').expect(400);
    expect((refused.body as Json).message).toContain('column "nummer" must be name');
  });

  it('refuse rows whose numbers are those of several contacts', async () => {
    await importFile('name,number\nAna,+447700900123\nBo,+447700900124\n');
    const job = await importFile(
      'number,number 2\n+447700900123,+447700900124\nDHL,\n+447700900125,+447700900126\n',
    );
    expect(job).toMatchObject({ counts: { created: 1, refused: 2 } });
    expect(job.refusals).toMatchObject([
      { line: 2, code: 'number_taken', value: '+447700900123, +447700900124' },
      { line: 3, code: 'number_format', value: 'DHL' },
    ]);
  });

  it('refuse files that cannot be read, and leave nothing behind', async () => {
    const openQuote = `number\n${'+447700900123\n'.repeat(3_000)}"`;
    const files: readonly (readonly [string | Buffer, string])[] = [
      ['PK\x03\x04abc', 'is an Excel workbook'],
      [Buffer.from('name,number\nJ\xfcrgen,1', 'latin1'), 'such as windows-1252'],
      ['name,town\nAna,York\n', 'they are name, town'],
      ['name,number\n', 'has no rows'],
      [' \n\n', 'is empty'],
      [openQuote, 'has a quotation mark on line 3002 that is not closed'],
    ];
    for (const [file, text] of files) {
      const refused = await upload(file, '?list=New').expect(400);
      expect(refused.body).toMatchObject({ code: 'IMPORT_FILE_UNREADABLE' });
      expect((refused.body as Json).message).toContain(text);
    }
    expect((await upload('').expect(400)).body).toMatchObject({ code: 'MALFORMED_BODY' });
    const { apikeys, ...stored } = await countStoredDocuments(service, client);
    expect(stored).toEqual({ accounts: 1 });
  });

  it('need the content type of CSV, and one file at a time', async () => {
    expect((await upload('number\n1', '', 'contacts', 'application/json').expect(400)).body).toMatchObject({
      code: 'MALFORMED_BODY',
    });
    const half = slowUpload('number\n+447700900123\n', 40);
    await eventually(storedImports, (count) => count === 1);
    expect((await upload('+447700900123\n').expect(503)).body).toMatchObject({ code: 'IMPORT_RUNNING' });
    half.close();
    await eventually(storedImports, (count) => count === 0);
    await importFile('+447700900123\n');
  });

  it('may be uploaded for longer than other requests may take', async () => {
    const line = '+447700900123\n';
    const connection = slowUpload('number\n', 7 + 3 * line.length);
    for (let count = 0; count < 3; count += 1) {
      await sleep(2_000);
      connection.write(line);
    }
    await eventually(() => connection.statuses.length, Boolean);
    expect(connection.statuses).toEqual(['200']);
    connection.close();
  });

  it('that are broken off apply nothing, and leave nothing, also if their process dies', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `+4477009${String(10_000 + index)}`).join('\n');
    const broken = slowUpload(`number\n${rows}\n`, 100_000);
    await eventually(storedRows, (count) => count >= 500);
    broken.close();
    await eventually(storedRows, (count) => count === 0);
    await eventually(storedImports, (count) => count === 0);
    const user = client.user;
    const dead = {
      _id: new Types.ObjectId(),
      user,
      state: 'reading',
      open: true,
      dueAt: service.clock.now(),
    };
    await service.collection('imports').insertOne(dead);
    await service.collection('importrows').insertOne({ user, import: dead._id, row: 0, line: 1 });
    service.clock.advance(READING_LEASE_MS);
    await eventually(storedImports, (count) => count === 0);
    expect([await storedRows(), await contacts()]).toEqual([0, []]);
  });

  it('are kept for 30 days, with their refused rows', async () => {
    const job = await importFile('number\nx\n+447700900123\n');
    const { data, meta } = (await client.get('/gateway/imports?limit=1').expect(200)).body as Json;
    expect([data, meta]).toMatchObject([[{ _id: job._id }], { hasMore: false }]);
    service.clock.advance(30 * DAY_MS + 60_000);
    await service.get(ImportRunner).runDue();
    await eventually(storedRows, (count) => count === 0);
    await client.get(`/gateway/imports/${job._id}`).expect(404);
    expect(await contacts()).toHaveLength(1);
  });

  it('are undone as far as nobody has changed the same since', async () => {
    await importFile('name,number,city\nAna,+447700900123,Leeds\nBo,+447700900124,\n');
    const rows = [
      'Anna,+447700900123,York',
      'Bob,+447700900124,',
      'Cy,+447700900125,',
      'Di,+447700900126,',
      'Ed,+447700900127,',
    ];
    const job = await importFile(`name,number,city\n${rows.join('\n')}\n`);
    const [ana, , cy] = await contacts();
    await client.patch(`/gateway/contacts/${String(ana?._id)}`, { name: 'Ana M.' }).expect(200);
    await client.patch(`/gateway/contacts/${String(cy?._id)}`, { notes: 'x' }).expect(200);
    const device = await client.newDevice();
    const message = { sender: '+447700900127', message: 'Hi', receivedAtInMillis: Date.now() };
    await client.post(`/gateway/devices/${device}/receive-sms`, message).expect(200);
    await eventually(
      () => service.collection('conversations').countDocuments({ user: client.user }),
      (count) => count === 1,
    );
    const undone = await undo(job);
    expect(undone).toMatchObject({ undone: { removed: 1, restored: 1, kept: 1, changed: 2 }, leftToUndo: 0 });
    expect(await undo(job)).toEqual(undone);
    expect(await contacts()).toMatchObject([
      { name: 'Ana M.', fields: { city: 'Leeds' } },
      { name: 'Bo' },
      { name: 'Cy', notes: 'x' },
      { name: 'Ed' },
    ]);
  });

  it('of people who want no messages block them, with the file and the line, and never lift anything', async () => {
    const block = (number: string, fields: Json) =>
      client.post('/gateway/suppressions', { number, ...fields });
    await block('+447700900123', { state: 'held', reason: 'unclear' }).expect(201);
    await block('+447700900124', { reason: 'Asked on the phone' }).expect(201);
    const file = 'Telefon;Mobil\n+447700900123;+447700900125\n+447700900124;\nn/a;\n+447700900125;\n';
    const job = await importFile(file, '', 'suppressions');
    expect(job).toMatchObject({
      kind: 'suppressions',
      counts: { created: 2, updated: 0, unchanged: 2, refused: 1 },
      refusals: [{ line: 4, code: 'number_format' }],
    });
    const blocks = async () =>
      listOf(await client.get('/gateway/suppressions').expect(200)).map(({ number, state, source }) =>
        [number, state, source].join(' '),
      );
    expect((await blocks()).toSorted()).toEqual([
      '+447700900123 out import',
      '+447700900124 out api',
      '+447700900125 out import',
    ]);
    const [record] = listOf(await client.get('/gateway/consents?number=%2B447700900123').expect(200));
    expect(record).toMatchObject({
      state: 'out',
      source: 'import',
      fileLine: 2,
      fileHash: job.fileHash,
      importId: job._id,
    });
    await importFile('+447700900123\n');
    expect(await blocks()).toHaveLength(3);
    expect(await undo(job)).toMatchObject({ undone: { removed: 1, restored: 0, kept: 1, changed: 0 } });
    expect((await blocks()).toSorted()).toEqual(['+447700900123 out import', '+447700900124 out api']);
  });

  it('take the export of contacts, which changes nothing, and makes the same in another account', async () => {
    await client.post('/gateway/contacts', {
      name: '=Ana, "A"',
      numbers: [{ number: '+447700900123' }, { number: '0151 23456789', label: '@work' }, { number: 'DHL' }],
      fields: { 'Phone 2': '-1', Ort: 'Köln\r\nMitte' },
      tags: ['a, b', 'c'],
      ...{ notes: ' =1\r\n2', language: 'de' },
    });
    await importFile('name,number\nBo,+447700900124\n');
    const exported = async (query = '') =>
      (await client.get(`/gateway/contacts/export${query}`).expect(200)).text;
    const file = await exported();
    expect(file).toContain('"\'=Ana, ""A"""');
    expect(readCsv(file).map(({ number }) => number)).toEqual(['+447700900123', '+447700900124']);
    expect(await importFile(file)).toMatchObject({
      counts: { created: 0, updated: 0, unchanged: 2, refused: 0 },
    });
    expect(readCsv(await exported('?tag=C'))).toHaveLength(1);
    const before = await contacts();
    client = await service.newAccount();
    await importFile(file.replace('DHL', '').replace('0151 23456789', '+49 151 23456789'));
    const [ana, bo] = await contacts();
    expect([ana?.name, ana?.tags, ana?.fields, bo?.name]).toEqual([
      before[0]?.name,
      before[0]?.tags,
      { 'Phone 2': '-1', Ort: 'Köln\nMitte' },
      'Bo',
    ]);
    expect(ana?.numbers).toMatchObject([{ number: '+447700900123' }, { label: '@work' }]);
  });

  it('forget a person who is erased', async () => {
    await importFile('name,number\nAna,+447700900123\nBo,+447700900124\n');
    await importFile(`name,number,x\nAnna,+447700900123,\nAnna,+447700900123,${'y'.repeat(2_000)}\n`);
    const [ana] = await contacts();
    await client.delete(`/gateway/contacts/${String(ana?._id)}?erase=true`).expect(200);
    const rows = await service.collection('importrows').find({ user: client.user }).toArray();
    expect(JSON.stringify(rows)).not.toMatch(/Ann?a|447700900123/);
    expect(rows).toHaveLength(1);
  });

  const storedImports = () => service.collection('imports').countDocuments({ user: client.user });

  /** Begins an upload. @param length of the whole file. */
  function slowUpload(start: string, length: number): RawConnection {
    const connection = new RawConnection(service.url);
    const head = [
      'POST /api/v1/gateway/contacts/import HTTP/1.1',
      'host: localhost',
      `x-api-key: ${client.apiKey}`,
      'content-type: text/csv',
      `content-length: ${length}`,
    ];
    connection.write(`${head.join('\r\n')}\r\n\r\n${start}`);
    return connection;
  }
});
