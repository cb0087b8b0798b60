import { VirtualPhone } from 'messaging-gateway-phone';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const EVE = '+447700900125';
const DAN = '+447700900126';
const ADA = '+447700900123';

describe('the page Opt-outs', () => {
  let dashboard: Dashboard;
  let owner: TestClient;
  let phone: VirtualPhone;
  let device: string;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    ({ owner } = dashboard);
    phone = new VirtualPhone({
      ...{ baseUrl: dashboard.service.url, apiKey: owner.apiKey, name: 'Front desk' },
      ...{ seed: 1, sendDelaySeconds: 0, deliveryDelaySeconds: 0 },
    });
    await phone.start();
    const devices = await owner.get('/gateway/devices');
    device = (devices.body as { data: { _id: string }[] }).data[0]?._id ?? '';
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });

  const receive = async (sender: string, message: string) => {
    const upload = { sender, message, receivedAtInMillis: Date.now() };
    expect((await owner.post(`/gateway/devices/${device}/receive-sms`, upload)).status).toBe(200);
  };
  const sentTexts = async (number: string) => {
    const answer = await owner.get(
      `/gateway/messages?direction=sent&recipient=${encodeURIComponent(number)}`,
    );
    return (answer.body as { data: { message: string }[] }).data.map(({ message }) => message);
  };

  it('a STOP arrives, is confirmed and named before a reply; its person is allowed again, and written to', async () => {
    const settings = await dashboard.open('/opt-outs');
    await settings.getByText('Nobody has opted out.').waitFor();
    await settings.getByText('Nothing is answered until it says').waitFor();
    await settings.getByLabel('Who writes').fill('Bike Shop');
    await settings.getByLabel('How to reach you').fill('shop@example.com');
    await settings.getByRole('combobox', { name: 'Further words that block' }).fill('enough');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('The settings are saved.').waitFor();
    await settings.getByText('one confirmation and one other answer').waitFor();

    await receive(EVE, 'Hello');
    const conversation = await dashboard.open(`/conversations/${encodeURIComponent(EVE)}`);
    await conversation.getByRole('log').getByText('Hello').waitFor();
    await receive(EVE, 'Enough!');
    const banner = conversation.getByRole('status').filter({ hasText: 'Opted out' });
    await banner.getByText('The person wrote "Enough!" on').waitFor();
    await conversation.getByRole('log').getByText('Bike Shop: you have opted out.').waitFor();

    const send = await dashboard.open(`/send?to=${encodeURIComponent(EVE)}`);
    const stopped = send.getByRole('status').filter({ hasText: 'This number is blocked' });
    await stopped.getByText('The person wrote "Enough!" on').waitFor();
    await send.getByLabel('Text', { exact: true }).fill('Your refund is on its way.');
    expect(await faultsInAllViews(send, 'send-blocked')).toEqual([]);
    await stopped.getByLabel('It answers this person').check();
    await send.locator('form button[type=submit]').click();
    await send.getByRole('heading', { name: 'Delivered' }).waitFor();

    const page = await dashboard.open('/opt-outs');
    await page.getByRole('searchbox', { name: 'Search a number' }).fill('44 7700 900125');
    const entry = page.getByRole('listitem').filter({ hasText: EVE });
    await entry.getByText('Confirmed by SMS on').waitFor();
    expect(await faultsInAllViews(page, 'opt-outs')).toEqual([]);
    await entry.getByRole('button', { name: 'Allow messages again' }).click();
    const dialog = page.getByRole('dialog', { name: `Allow messages to ${EVE} again?` });
    await dialog.getByLabel('Reason').fill('Asked for it in the shop');
    await dialog.getByRole('button', { name: 'Allow messages again' }).click();
    await page.getByText('No blocked number matches.').waitFor();

    await banner.waitFor({ state: 'detached' });
    await conversation.getByLabel(`Reply to ${EVE}`).fill('Spring offers');
    await conversation.getByRole('button', { name: 'Reply', exact: true }).click();
    await conversation.getByRole('log').getByText('Spring offers').waitFor();
    const sent = await eventually(
      () => sentTexts(EVE),
      ({ length }) => length === 3,
    );
    expect(sent.toSorted()).toEqual([
      'Bike Shop: you have opted out. Text START to opt in again. Contact: shop@example.com',
      'Spring offers',
      'Your refund is on its way.',
    ]);
    const { data } = (await owner.get('/gateway/consents')).body as { data: { person?: string }[] };
    expect(data[0]).toMatchObject({ state: 'in', person: 'Ada', reason: 'Asked for it in the shop' });
  });

  it('asks what an unclear text means, and blocks by hand', async () => {
    await receive(EVE, 'stop please');
    await receive(DAN, 'please stop');
    const page = await dashboard.open('/opt-outs?state=held');
    const eve = page.getByRole('listitem').filter({ hasText: EVE });
    await eve.getByText('The person wrote "stop please" on').waitFor();
    await takePicture(page, 'opt-outs-unclear');
    await eve.getByRole('button', { name: 'Block: they meant it' }).click();
    await eve.waitFor({ state: 'detached' });
    const dan = page.getByRole('listitem').filter({ hasText: DAN });
    await dan.getByRole('button', { name: 'Allow: they meant something else' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Read the text: they meant something else');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Allow messages again' }).click();
    await dan.waitFor({ state: 'detached' });

    await page.getByText('All', { exact: true }).click();
    await page.getByRole('button', { name: 'Block a number' }).click();
    const blocking = page.getByRole('dialog', { name: 'Block a number' });
    await blocking.getByLabel('Number').fill('+44 (0)7700 900126');
    await blocking.getByRole('button', { name: 'Block this number' }).click();
    await dan.getByText('Blocked by your account on').waitFor();
  });

  it('leaves blocked and repeated people out of a campaign, and says how many', async () => {
    const page = await dashboard.open('/campaigns/new');
    const csv = `number\n${EVE}\n${ADA}\n${ADA}\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('textbox', { name: 'Text' }).fill('Spring offers');
    await page.getByText('1 person who is blocked is left out.').waitFor();
    await page.getByText('Messages to this person are blocked.').waitFor();
    await page.getByText('1 row with the same number and text as an earlier one is left out').waitFor();
    expect(await faultsInAllViews(page, 'campaign-blocked')).toEqual([]);
    await page.getByRole('button', { name: 'Send 1 message' }).click();
    await page.waitForURL(/campaigns\/[\da-f]{24}/);
    expect(await sentTexts(ADA)).toEqual(['Spring offers']);
    expect(await sentTexts(EVE)).toHaveLength(3);
  });

  it('asks the owner of an older account, with the number of people who wrote STOP', async () => {
    await dashboard.service.collection('accounts').updateOne({ _id: owner.user }, { $unset: { consent: 1 } });
    dashboard.service.clock.advance(1_000);
    const asked = ['+447700900201', '+447700900202'];
    for (const number of asked) await receive(number, 'STOP');
    const page = await dashboard.open('/');
    await page.getByRole('link', { name: 'Decide whether they are obeyed' }).click();
    await page.getByText('2 people have written STOP before.').waitFor();
    expect(await faultsInAllViews(page, 'opt-outs-asked')).toEqual([]);
    await page.getByRole('button', { name: 'Switch on and block 2 people' }).click();
    await page.getByText('2 people are blocked.').waitFor();
    for (const number of asked)
      await page
        .getByRole('listitem')
        .filter({ hasText: number })
        .getByText('The person wrote "STOP" on')
        .waitFor();
    const { data } = (await owner.get('/gateway/consent-settings')).body as { data: object };
    expect(data).toMatchObject({ enabled: true, asked: true });
  });
});
