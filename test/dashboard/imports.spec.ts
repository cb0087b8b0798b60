import type { Page } from 'playwright-core';
import type { TestClient } from '../support/client';
import { readCsv } from '../support/csv';
import { Dashboard, faultsInAllViews } from './dashboard';

/** As a spreadsheet in German writes it. */
const FILE = [
  'Vorname;Nachname;Handy;Ort;Gruppen',
  ...Array.from(
    { length: 198 },
    (_, index) => `Person;${index};+4915112${String(index).padStart(6, '0')};Köln;Kunde`,
  ),
  'Ana;Marín;4,47E+11;Bonn;',
  'Bo;Öz;;Bonn;',
].join('\r\n');

describe('the import of contacts in the dashboard', () => {
  let dashboard: Dashboard;
  let owner: TestClient;

  beforeAll(async () => {
    dashboard = await Dashboard.start();
  });
  beforeEach(async () => {
    owner = await dashboard.service.newAccount();
  });
  afterAll(() => dashboard.stop());

  const choose = (page: Page, file: Buffer, name = 'kunden.csv') =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: file });

  it('takes 200 people from a file, shows the refused rows, finds a person, and is undone', async () => {
    const page = await dashboard.open('/contacts', { owner });
    await page.getByRole('link', { name: 'Import or export' }).click();
    await choose(page, Buffer.from(FILE.replaceAll(/[äöüí]/g, 'e'), 'latin1').fill(0xfc, 20, 21));
    await page.getByText('Do the names look right?').waitFor();
    await choose(page, Buffer.from(`\ufeff${FILE}`));
    await page.getByRole('columnheader', { name: 'Handy' }).waitFor();
    await page.getByRole('combobox', { name: 'Add to a list' }).fill('Shop');
    await page.getByRole('combobox', { name: 'What column Ort holds' }).click();
    await page.getByRole('option', { name: 'Leave out' }).click();
    expect(await faultsInAllViews(page, 'import-preview')).toEqual([]);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('198 new contacts · 2 rows refused').first().waitFor();
    await page.getByText('Line 200 · Handy · 4,47E+11').waitFor();
    expect(await faultsInAllViews(page, 'import-result')).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download all refused rows' }).click(),
    ]);
    const stream = await download.createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(readCsv(Buffer.concat(chunks).toString())).toMatchObject([
      { line: '200', field: 'Handy', value: '4,47E+11' },
      { line: '201', field: 'Handy', value: '' },
    ]);

    await page.getByRole('link', { name: 'Back to the contacts' }).click();
    await page.getByLabel('Search names and numbers').fill('person 77');
    await page.getByRole('link', { name: 'Person 77' }).waitFor();
    const lists = (await owner.get('/gateway/lists')).body as { data: unknown[] };
    expect(lists.data).toMatchObject([{ name: 'Shop', memberCount: 198 }]);
    const contacts = (await owner.get('/gateway/contacts?search=person+77')).body as { data: unknown[] };
    expect(contacts.data).toMatchObject([{ fields: {}, tags: ['Kunde'] }]);

    await page.getByRole('link', { name: 'Import or export' }).click();
    const undo = { name: 'Undo the import', exact: true };
    await page.getByRole('button', undo).click();
    await page.getByRole('dialog').getByRole('button', undo).click();
    await page.getByText('198 removed').waitFor();
    expect(((await owner.get('/gateway/contacts')).body as { data: unknown[] }).data).toEqual([]);
  });

  it('blocks people who want no messages, from pasted numbers', async () => {
    const page = await dashboard.open('/contacts/import', { owner });
    await page.getByRole('tab', { name: 'Paste' }).click();
    await page.getByLabel('People').fill('+447700900123; +447700900124');
    await page.getByLabel('want no messages').click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 numbers blocked').first().waitFor();
    const blocks = (await owner.get('/gateway/suppressions')).body as { data: unknown[] };
    expect(blocks.data).toHaveLength(2);
  });
});
