import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import type { Page } from 'playwright-core';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { newPool } from '../support/new-pool';
import { Dashboard, faultsInAllViews, faultsOf, NARROW, takePicture } from './dashboard';

interface ListedBatch {
  _id: string;
  recipientCount: number;
  message?: string;
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('campaigns in the dashboard', () => {
  let dashboard: Dashboard;
  let owner: TestClient;
  const phones: VirtualPhone[] = [];

  beforeAll(async () => {
    dashboard = await Dashboard.start();
  });
  beforeEach(async () => {
    owner = await dashboard.service.newAccount();
  });
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
  });
  afterAll(() => dashboard.stop());

  async function startPhone(
    options: Partial<ConstructorParameters<typeof VirtualPhone>[0]> = {},
  ): Promise<void> {
    const phone = new VirtualPhone({
      baseUrl: dashboard.service.url,
      apiKey: owner.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
      ...options,
    });
    phones.push(phone);
    await phone.start();
  }

  const open = (path: string, options = {}) => dashboard.open(path, { owner, ...options });
  const batches = async () => ((await owner.get('/gateway/batches')).body as { data: ListedBatch[] }).data;
  const messagesOf = async (id = '') =>
    (
      (await owner.get(`/gateway/messages?smsBatchId=${id}&limit=100`)).body as {
        data: { message: string; recipient: string; status: string }[];
      }
    ).data;

  const choose = (page: Page, csv: string | Buffer, name = 'customers.csv') =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv as string) });
  const sendButton = (page: Page) => page.getByRole('button', { name: /^(Send|Schedule) \d+ message/ });

  it('goes from a file to delivered, by the SIMs of a pool', async () => {
    await startPhone({ name: 'North', serial: 'north', sims: numberedSims(2, 'north') });
    await startPhone({ name: 'South', serial: 'south', sims: numberedSims(1, 'south') });
    const sims = ((await owner.get('/gateway/sims')).body as { data: { _id: string }[] }).data;
    expect(sims).toHaveLength(3);
    await newPool(
      dashboard.service,
      owner,
      sims.map(({ _id }) => _id),
      { name: 'Everything', strategy: 'round-robin' },
    );
    const page = await open('/campaigns');
    await page.getByRole('link', { name: 'New campaign' }).first().click();
    const rows = numbers(12).map((number, index) => `${number};"Müller, ${index}";"${index}\nsecond line"`);
    await choose(page, `\uFEFFMobil;Name;Note\r\n${rows.join('\r\n')}\r\nno number;Bad;x\r\n`);
    await page.getByText('13 rows, 3 columns').waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hi ');
    await page.getByRole('button', { name: 'Insert the column Name' }).click();
    const preview = page.getByRole('table', { name: 'Preview' });
    await preview.getByText('Hi Müller, 0', { exact: true }).waitFor();
    await page.getByText('Not sent (1)').click();
    await preview.getByText('"no number" is not a phone number of 3 to 15 digits.').waitFor();
    await preview.getByText('26', { exact: true }).waitFor();
    // The forecast for the default phone, which the one for the pool replaces.
    await page.getByText('The last one', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'From' }).click();
    await page.getByRole('option', { name: 'Everything' }).click();
    await page.getByText('By SIM').waitFor();
    expect(await sendButton(page).isDisabled()).toBe(true);
    await page.getByText('Line 26: "no number" is not a phone number').waitFor();
    await page.getByRole('checkbox', { name: 'Send without the 1 row that has a mistake' }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByText('This is a virtual phone').waitFor();
    await takePicture(page, 'campaigns-new-filled');
    await sendButton(page).click();
    const question = page.getByRole('dialog', { name: 'Send to 12 people?' });
    await question.getByText('It counts as 12 messages of your plan.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await question.getByRole('button', { name: 'Send 12 messages' }).click();

    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await page.getByText('12 Delivered').first().waitFor();
    const [batch] = await batches();
    expect(batch).toMatchObject({ recipientCount: 12 });
    const sent = await messagesOf(batch?._id);
    expect(sent.map(({ recipient, message }) => `${recipient} ${message}`).sort()).toEqual(
      numbers(12).map((number, index) => `${number} Hi Müller, ${index}`),
    );
    expect(sent.every(({ status }) => status === 'delivered')).toBe(true);
    await page.getByRole('table', { name: 'By SIM' }).getByText('South').waitFor();
    await takePicture(page, 'campaign-finished');
    expect(await faultsOf(page)).toEqual([]);
  });

  it('is sent once by a double click, and not again by the same file, unless that is wanted', async () => {
    await startPhone();
    const write = async (page: Page) => {
      await choose(page, `phone,name\n${numbers(3).join(',Ada\n')},Bob\n`);
      await page.getByRole('textbox', { name: 'Text' }).fill('Hi {name}');
      await page.locator('button:enabled', { hasText: 'Send 3 messages' }).waitFor();
    };
    const page = await open('/campaigns/new');
    await write(page);
    await sendButton(page).dblclick();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    expect(await batches()).toHaveLength(1);

    await page.goto(`${dashboard.service.url}/campaigns/new`);
    await write(page);
    await sendButton(page).click();
    await page.getByText('You have sent this already').waitFor();
    expect(await batches()).toHaveLength(1);
    await page.getByRole('switch', { name: 'Urgent' }).click();
    await page.locator('button:enabled', { hasText: 'Send 3 messages' }).click();
    await page.getByText('with other options').waitFor();
    expect(await batches()).toHaveLength(1);
    await page.getByRole('button', { name: 'Send everything once more' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    expect(await batches()).toHaveLength(2);
    expectNoErrors();
  });

  it('shows hostile cells as text, and refuses what cannot be sent', async () => {
    await startPhone();
    const page = await open('/campaigns/new', { viewport: NARROW });
    const script = '<img src=x onerror=window.stolen=1><script>window.stolen=1</script>';
    const rows = [
      `+491511111111,${script}`,
      `"=HYPERLINK(""http://evil"")",x`,
      `+491511111112,\u202Eright-to-left`,
      `+491511111113,${'W'.repeat(10_000)}`,
      '+491511111114',
      '4.91512E+12,x',
      `+491511111115,"=1+1"`,
    ];
    await choose(page, `phone,${'x'.repeat(300)}\n${rows.join('\n')}`, `${'n'.repeat(200)}.csv`);
    await page.getByRole('textbox', { name: 'Text' }).fill(`Hi {${'x'.repeat(300)}}`);
    await page.getByText('Hi =1+1', { exact: true }).waitFor();
    await page.getByText(`Hi ${script}`, { exact: true }).waitFor();
    const preview = page.getByRole('table', { name: 'Preview' });
    await preview.getByText('The text would have 10,003 characters').waitFor();
    await preview.getByText('It has 1 columns, and the first row has 2.').waitFor();
    await preview.getByText('has shortened the number to 4.91512E+12').waitFor();
    expect(await page.evaluate('window.stolen')).toBeUndefined();
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'campaigns-new-hostile');
    expectNoErrors();
  });

  it('says what is wrong with a file, and reads an old encoding when it is told', async () => {
    const page = await open('/campaigns/new');
    await choose(page, Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x00]), 'customers.xlsx');
    await page.getByText('This is not a text file.').waitFor();
    await choose(page, 'phone,name\n+491511111111,"Ada\n');
    await page.getByText('A quotation mark is opened and not closed.').waitFor();
    await choose(page, Buffer.from('phone,name\n+491511111111,Jürg\n', 'latin1'));
    await page.getByText('Do the names look right?').waitFor();
    await page.getByText('+491511111111,Jürg').waitFor();
    await page.getByRole('button', { name: 'Read it so' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hi {{name}}');
    await page.getByText('Hi Jürg', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hi {{who}}');
    await page.getByText('There is no column who.').waitFor();
    expectNoErrors();
  });

  it('reads a file in an old encoding, once a preview shows that it is right', async () => {
    await startPhone();
    const page = await open('/campaigns/new');
    const csv = Array.from('sep=;\nphone;name\n+447700900123;', (letter) => letter.charCodeAt(0));
    const jeanne = [0xc6, 0xe0, 0xed, 0xed, 0xe0];
    const repeat = Array.from('\n07700 900123;', (letter) => letter.charCodeAt(0));
    await choose(page, Buffer.from([...csv, ...jeanne, ...repeat, ...jeanne]));
    await page.getByText('+447700900123;Æàííà').waitFor();
    await page.getByRole('combobox', { name: 'Letters of the file' }).click();
    await page.getByRole('option', { name: 'Cyrillic (Windows-1251)' }).click();
    await page.getByText('+447700900123;Жанна').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Read it so' }).click();
    await page.getByText('2 rows, 2 columns').waitFor();
  });

  it('is written and sent by keyboard alone', async () => {
    await startPhone();
    const page = await open('/campaigns/new');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const reach = async (name: string) => {
      for (let presses = 0; presses < 80; presses += 1) {
        const focused = await page.evaluate(
          `(() => { const e = document.activeElement; return (e.labels?.[0]?.textContent || e.getAttribute('aria-label') || e.textContent || '').trim(); })()`,
        );
        if (String(focused).startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`${name} cannot be reached`);
    };
    await reach('File');
    await page.keyboard.press('ArrowRight');
    await reach('Lines with a number each');
    await page.keyboard.insertText('+491511111111\n+491511111112');
    await reach('Text');
    await page.keyboard.type('Hel');
    const send = page.locator('button:enabled', { hasText: 'Send 2 messages' });
    await send.waitFor();
    // Between a change of the text and the filling in of the rows, the rows have the earlier text.
    const isEnabled = await page.evaluate(`(async () => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
      set.call(document.activeElement, 'Hello');
      document.activeElement.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve();
      return [...document.querySelectorAll('button:enabled')].some(({ textContent }) => textContent.startsWith('Send 2'));
    })()`);
    expect(isEnabled).toBe(false);
    await send.waitFor();
    await reach('Send 2 messages');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    expect((await batches()).map(({ recipientCount, message }) => [recipientCount, message])).toEqual([
      [2, 'Hello'],
    ]);
  });

  it('says when a scheduled campaign leaves, in the zone that was chosen, and is not lost by a click', async () => {
    await startPhone();
    const page = await open('/campaigns/new');
    await page.getByRole('tab', { name: 'Paste' }).click();
    await page.getByLabel('Lines with a number each').fill(numbers(120).join('\n'));
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello');
    // The forecast for now, which the one for later replaces.
    await page.getByText('By SIM').waitFor();
    await page.getByText('Later', { exact: true }).click();
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Date and time').fill(`${day}T09:00`);
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.fill('Asia/Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    // The last message and the SIM are two minutes after the first message.
    await page.locator(`time[datetime^="${day}T00:02:"]`).nth(1).waitFor();
    const first = page.locator(`time[datetime^="${day}T00:00:"]`);
    expect(await first.count()).toBe(1);
    expect(await first.textContent()).toMatch(/9:00/);
    await page.getByText('Times are in the zone Asia/Tokyo.').waitFor();

    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('link', { name: 'Overview' }).click();
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Hello');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.waitForURL((url) => url.pathname === '/');
  });

  it('has a title, also without a text of its own', async () => {
    await owner.newDevice({ supportsEncryption: true });
    const [one, other] = numbers(2);
    const secret = { encrypted: true, encryptedMessage: 'v1:AAAA' };
    const bodies = [
      [
        { message: 'Hi Ada', recipients: [one] },
        { message: 'Hi Bob', recipients: [other] },
      ],
      [
        { ...secret, recipients: [one] },
        { ...secret, encryptedMessage: 'v1:BBBB', recipients: [other] },
      ],
    ];
    for (const messages of bodies)
      expect((await owner.post('/gateway/send-bulk-sms', { messages })).status).toBe(200);
    const page = await open('/campaigns');
    await page.getByRole('link', { name: 'Encrypted text' }).waitFor();
    await page.getByRole('link', { name: 'Different texts' }).click();
    await page.getByRole('heading', { name: 'What was sent' }).waitFor();
    await page.getByText('Different texts', { exact: true }).waitFor();
  });

  it('is rescheduled, paused, resumed and cancelled', async () => {
    await owner.newDevice();
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    const id = await owner.send(numbers(120), { scheduledAt });
    await owner.send(numbers(1), { scheduledAt, message: 'To one' });
    const read = async () =>
      ((await owner.get(`/gateway/batches/${id}`)).body as { data: Record<string, unknown> }).data;
    const page = await open('/campaigns');
    await page.getByText('120 Waiting').waitFor();
    expect(await page.getByText('To one').count()).toBe(0);
    await page.getByText('All sends').click();
    await page.getByText('To one').waitFor();
    await page.getByRole('link', { name: 'Hello' }).click();
    await page.waitForURL(`**/campaigns/${id}`);
    await page.getByRole('heading', { name: 'By state' }).waitFor();

    await page.getByRole('button', { name: 'Reschedule' }).click();
    const dialog = page.getByRole('dialog');
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await dialog.getByLabel('Date and time').fill(`${day}T09:00`);
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    await eventually(read, (batch) => batch.scheduledAt === `${day}T09:00:00.000Z`);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The campaign is paused.').waitFor();
    await eventually(read, ({ pausedAt }) => pausedAt !== undefined);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(read, ({ pausedAt }) => pausedAt === undefined);

    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    const confirm = dialog.getByRole('button', { name: 'Cancel 120 messages' });
    expect(await faultsOf(page)).toEqual([]);
    await confirm.click();
    await page.getByText('120 Cancelled').waitFor();
    expect(await read()).toMatchObject({ cancelledCount: 120 });
    expectNoErrors();
  });

  it('says why messages failed, and sends these again as a new campaign', async () => {
    await startPhone({ failureRate: 1 });
    const id = await owner.send(numbers(3), { message: 'Once {more}' });
    const page = await open(`/campaigns/${id}`);
    await page.getByRole('heading', { name: '3 messages failed' }).waitFor();
    await takePicture(page, 'campaign-failed');
    await page.getByRole('link', { name: 'Send these 3 again' }).click();
    await page.getByRole('table', { name: 'Preview' }).getByText('Once {more}').first().waitFor();
    await page.locator('button:enabled', { hasText: 'Send 3 messages' }).click();
    await page.waitForURL(
      (url) => /\/campaigns\/[0-9a-f]{24}$/.test(url.pathname) && !url.pathname.endsWith(id),
    );
    const [again] = await batches();
    expect((await messagesOf(again?._id)).map(({ recipient }) => recipient).sort()).toEqual(numbers(3));
    expectNoErrors();
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    await startPhone({
      name: `Pixel ${'in the office '.repeat(4)}`,
      failureRate: 0.3,
      seed: 7,
      sims: numberedSims(2, 'p'),
    });
    const empty = await dashboard.service.newAccount();
    const texts = [
      'Your appointment is tomorrow at nine. Reply STOP to get no more of these.',
      `<script>window.stolen=1</script> ${'W'.repeat(1_500)}`,
      'مرحبا \u202E abc',
    ];
    const sent: string[] = [];
    for (const message of texts) sent.push(await owner.send(numbers(40), { message }));
    await owner.send(numbers(300), {
      message: 'Autumn sale',
      scheduledAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await eventually(
      async () =>
        (
          (await owner.get(`/gateway/batches/${sent.at(-1) ?? ''}`)).body as {
            data: { states: { pending: number } };
          }
        ).data.states.pending,
      (pending) => pending === 0,
    );
    for (const [path, shown, client] of [
      ['/campaigns', '300 Waiting', owner],
      ['/campaigns', 'No campaign yet', empty],
      ['/campaigns/new', 'Choose a file', owner],
      [`/campaigns/${sent[1] ?? ''}`, 'By state', owner],
    ] as const) {
      const page = await dashboard.open(path, { owner: client });
      await page.getByText(shown).first().waitFor();
      const kind = client === empty ? 'campaigns-empty' : path.slice(1, 14).replace('/', '-');
      expect(await faultsInAllViews(page, kind)).toEqual([]);
      expect(await page.evaluate('window.stolen')).toBeUndefined();
      await page.context().close();
    }
    expectNoErrors();
  });

  /** Besides refused requests, which the browser reports too. */
  const expectNoErrors = () => {
    const errors = dashboard.browser.errors.filter((error) => !error.startsWith('Failed to load resource'));
    expect(errors).toEqual([]);
  };
});
