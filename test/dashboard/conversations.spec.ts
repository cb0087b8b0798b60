import { VirtualPhone } from 'messaging-gateway-phone';
import type { Page } from 'playwright-core';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { Dashboard, faultsInAllViews, faultsOf, NARROW } from './dashboard';

const ADA = '+447700900123';
const BOB = '+447700900124';
const HOSTILE = `<script>window.broken = 1</script> \u202Ereversed\u202C ${'x'.repeat(10_000)}`;

describe('the page Conversations', () => {
  let dashboard: Dashboard;
  let phone: VirtualPhone;
  let device: string;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    phone = new VirtualPhone({
      baseUrl: dashboard.service.url,
      apiKey: dashboard.owner.apiKey,
      name: 'Front desk',
      seed: 1,
      sendDelaySeconds: 0,
    });
    await phone.start();
    const devices = await dashboard.owner.get('/gateway/devices');
    device = (devices.body as { data: { _id: string }[] }).data[0]?._id ?? '';
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });

  let receivedAtInMillis = Date.now() - 3 * 86_400_000;
  const receive = async (sender: string, message: string, fields: object = {}) => {
    receivedAtInMillis += 60_000;
    const upload = { sender, message, receivedAtInMillis, ...fields };
    const { status } = await dashboard.owner.post(`/gateway/devices/${device}/receive-sms`, upload);
    expect(status).toBe(200);
  };
  const listed = async (client: TestClient = dashboard.owner) =>
    ((await client.get('/gateway/conversations')).body as { data: { number: string; unreadCount: number }[] })
      .data;
  const entry = (page: Page, number: string) =>
    page.locator(`a[href^="/conversations/${encodeURIComponent(number)}"]`);
  const open = (number: string, options: Parameters<Dashboard['open']>[1] = {}) =>
    dashboard.open(`/conversations/${encodeURIComponent(number)}`, options);

  it('shows what arrives, marks it as read, and replies from the same SIM', async () => {
    await receive(ADA, 'Where is my order?', { simSubscriptionId: 1 });
    await eventually(listed, (all) => all.length === 1);
    const page = await dashboard.open('/conversations');
    await page.getByLabel('1 unread message').waitFor();
    const unread = page.getByRole('img', { name: '1 conversation is unread' });
    await unread.waitFor();
    await entry(page, ADA).click();
    await page.getByRole('log').getByText('Where is my order?').waitFor();
    await eventually(listed, ([ada]) => ada?.unreadCount === 0);
    await entry(page, ADA).getByText('Unanswered').waitFor();
    await unread.waitFor({ state: 'detached' });
    // Live.
    await receive(ADA, 'Hello?', { simSubscriptionId: 1 });
    await page.getByRole('log').getByText('Hello?', { exact: true }).waitFor();

    await page.getByText(/^Goes out from .*Front desk$/).waitFor();
    const box = page.getByLabel(`Reply to ${ADA}`);
    await box.fill('It arrives today.');
    await box.press('Control+Enter');
    const bubble = page.getByRole('log').getByText('It arrives today.');
    await bubble.waitFor();
    expect(await box.inputValue()).toBe('');
    await page.getByRole('log').getByText('Delivered', { exact: true }).waitFor();
    await entry(page, ADA).getByText('You: It arrives today.').waitFor();
    await entry(page, ADA).getByText('Unanswered').waitFor({ state: 'detached' });
    expect(await bubble.count()).toBe(1);
    expect(phone.airLog.at(-1)?.simSubscriptionId).toBe(1);
  });

  it('shows a reply once, although it is listed before its send is answered', async () => {
    const page = await open(ADA);
    const bubble = page.getByRole('log').getByText('Answered late.');
    const sent = page.locator('[data-direction="sent"]').filter({ hasText: 'Answered late.' });
    await page.route('**/gateway/send-sms', async (route) => {
      const response = await route.fetch();
      await sent.getByText('Delivered', { exact: true }).waitFor();
      await eventually(
        () => bubble.count(),
        (count) => count === 1,
      );
      await route.fulfill({ response });
    });
    // Before, the keys do nothing.
    await page.getByText(/^Goes out from /).waitFor();
    const answered = page.waitForResponse('**/gateway/send-sms');
    const box = page.getByLabel(`Reply to ${ADA}`);
    await box.fill('Answered late.');
    await box.press('Control+Enter');
    await answered;
    expect(await bubble.count()).toBe(1);
  });

  it('keeps a reply that was not accepted, and sends it once', async () => {
    const page = await open(ADA);
    let attempts = 0;
    await page.route('**/gateway/send-sms', async (route) => {
      if (attempts++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByLabel(`Reply to ${ADA}`).fill('Only once');
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await page.getByText('Not sent').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Not sent').waitFor({ state: 'detached' });
    const found = await dashboard.owner.get('/gateway/messages?search=Only%20once');
    expect((found.body as { meta: { total: number } }).meta.total).toBe(1);
  });

  it('says which reply has failed', async () => {
    phone.sim(1).carrier.block = 'fail';
    const page = await open(ADA);
    await page.getByLabel(`Reply to ${ADA}`).fill('Is it you?');
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await entry(page, ADA).getByText('Failed', { exact: true }).waitFor();
    phone.sim(1).carrier.block = undefined;
  });

  it('shows who opted out, lets a person answer them all the same, and allows messages again', async () => {
    const eve = '+447700900125';
    await receive(eve, 'Stop!');
    const page = await open(eve);
    const banner = page.getByRole('status').filter({ hasText: 'Opted out' });
    await banner.getByText('The person wrote "Stop!" on').waitFor();
    const reply = page.getByRole('button', { name: 'Reply', exact: true });
    await page.getByLabel(`Reply to ${eve}`).fill('Your order is refunded.');
    expect(await reply.isDisabled()).toBe(true);
    await page.getByLabel('It answers this person, or is about something they ordered').check();
    expect(await faultsInAllViews(page, 'conversation-opted-out')).toEqual([]);
    await reply.click();
    await page.getByRole('log').getByText('Delivered', { exact: true }).waitFor();

    await banner.getByRole('button', { name: 'Allow messages again' }).click();
    const dialog = page.getByRole('dialog', { name: `Allow messages to ${eve} again?` });
    expect(await dialog.getByRole('button', { name: 'Allow messages again' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('Asked for it in the shop');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Allow messages again' }).click();
    await banner.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Block this number' }).click();
    const blocking = page.getByRole('dialog', { name: `Block ${eve}?` });
    await blocking.getByRole('button', { name: 'Block this number' }).click();
    await banner.getByText('Blocked by your account on').waitFor();
    // Live.
    await receive(eve, 'START', { receivedAtInMillis: Date.now() });
    await banner.waitFor({ state: 'detached' });
    const { data } = (await dashboard.owner.get('/gateway/consents')).body as { data: { source: string }[] };
    expect(data.map(({ source }) => source)).toEqual(expect.arrayContaining(['keyword', 'web']));
  });

  it('filters and searches, by number and note', async () => {
    await receive(BOB, 'I need help');
    await receive('BANK', 'Your balance');
    await eventually(listed, (all) => all.length === 4);
    const page = await open(BOB);
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByRole('textbox', { name: 'Note', exact: true }).fill('Prefers mornings');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Prefers mornings').first().waitFor();
    await page.getByText('Unread', { exact: true }).click();
    await entry(page, ADA).waitFor({ state: 'detached' });
    await entry(page, 'BANK').waitFor();
    await page.getByText('Unanswered', { exact: true }).first().click();
    await entry(page, BOB).waitFor();
    expect(await entry(page, ADA).count()).toBe(0);
    expect(page.url()).toContain('filter=unanswered');
    await page.getByLabel('Search names, numbers and notes').fill('mornings');
    await entry(page, 'BANK').waitFor({ state: 'detached' });
    await entry(page, BOB).waitFor();
  });

  it('says what cannot be replied to', async () => {
    const page = await open('BANK');
    await page.getByText('This sender is not a phone number').waitFor();
    expect(await page.getByRole('button', { name: 'Reply', exact: true }).count()).toBe(0);
  });

  it('loads older messages, and stays at the newest', async () => {
    const number = '+447700900190';
    for (let index = 1; index <= 70; index++) await receive(number, `Text ${index}`);
    const page = await open(number);
    const log = page.getByRole('log');
    await log.getByText('Text 70', { exact: true }).waitFor();
    expect(await page.evaluate('document.querySelector("[role=log]").scrollTop')).toBe(0);
    await page.evaluate('document.querySelector("[role=log]").scrollTo({ top: -1e6 })');
    await log.getByText('Text 1', { exact: true }).waitFor();
    await page.getByText('This is the beginning of the conversation.').waitFor();
  });

  it('shows that a text is encrypted', async () => {
    const number = '+447700900180';
    const deviceId = await dashboard.owner.newDevice({ name: 'Private', supportsEncryption: true });
    const encrypted = { message: undefined, encrypted: true, encryptedMessage: 'v1:AAAA', deviceId };
    await dashboard.owner.send([number], encrypted);
    const page = await open(number);
    await page.getByRole('log').getByText('End-to-end encrypted').waitFor();
    await entry(page, number).getByText('You: End-to-end encrypted').waitFor();
  });

  it('goes back on a narrow screen', async () => {
    const page = await open(ADA, { viewport: NARROW });
    await page.getByRole('heading', { name: ADA, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Back to the conversations' }).click();
    await page.getByRole('heading', { name: 'Conversations', level: 1 }).waitFor();
    await entry(page, BOB).waitFor();
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    await receive(ADA, HOSTILE);
    const page = await open(ADA);
    await page.getByText('It arrives today.').first().waitFor();
    expect(await faultsInAllViews(page, 'conversation')).toEqual([]);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    const list = await dashboard.open('/conversations');
    await entry(list, BOB).waitFor();
    expect(await faultsInAllViews(list, 'conversations')).toEqual([]);
  });

  it('begins with a message where there are none', async () => {
    const owner = await dashboard.service.newAccount('Nobody');
    const page = await dashboard.open('/conversations', { owner });
    await page.getByRole('link', { name: 'Send a message' }).waitFor();
    expect(await faultsInAllViews(page, 'conversations-empty')).toEqual([]);
  });

  it('had no errors', () => {
    // Refused and lost requests are errors for the browser, but not for the page.
    const errors = dashboard.browser.errors.filter((text) => !text.startsWith('Failed to load resource'));
    expect(errors).toEqual([]);
  });
});
