import { VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { Dashboard, takePicture } from './dashboard';

const PEOPLE = 200;
const numberOf = (index: number) => `+4477009${String(index).padStart(5, '0')}`;
const [ERIN, GRACE] = [numberOf(5), numberOf(7)];

const FILE = [
  'Name,Mobile,Town',
  ...Array.from({ length: PEOPLE }, (_, index) => `${nameOf(index)},${numberOf(index)},Leeds`),
].join('\r\n');

function nameOf(index: number): string {
  if (numberOf(index) === ERIN) return 'Erin Marsh';
  return numberOf(index) === GRACE ? 'Grace Lane' : `Customer ${index}`;
}

describe('the morning of a shop', () => {
  let dashboard: Dashboard;
  let phone: VirtualPhone;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    const { url, apiKey } = dashboard.owner;
    phone = new VirtualPhone({ baseUrl: url, apiKey, name: 'Counter', sendDelaySeconds: 0 });
    await phone.start();
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });

  it('imports 200 people, is told that one wrote STOP, writes to all others, and answers one by name', async () => {
    const page = await dashboard.open('/contacts/import');
    const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('combobox', { name: 'Add to a list' }).fill('Customers');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(`${PEOPLE} new contacts`).first().waitFor();

    await phone.receiveSms(ERIN, 'Stop.');
    await page.getByRole('link', { name: 'Opt-outs' }).click();
    await page.getByText('The person wrote "Stop." on').waitFor();
    await page.getByRole('link', { name: 'Erin Marsh' }).waitFor();

    await page.getByRole('link', { name: 'Send', exact: true }).click();
    await page.getByRole('combobox', { name: 'Or a list of contacts' }).click();
    await page.getByRole('option', { name: `Customers (${PEOPLE} contacts)` }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('We open at ten today.');
    await page.getByText('1 recipient has opted out and gets nothing').waitFor();
    await page.getByRole('button', { name: `Send ${PEOPLE - 1} messages` }).waitFor();

    // What is typed is not sent.
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('main').getByRole('link', { name: 'New campaign' }).first().click();
    await page.getByRole('tab', { name: 'List of contacts' }).click();
    await page.getByRole('combobox', { name: 'Choose a list' }).click();
    await page.getByRole('option', { name: `Customers (${PEOPLE} contacts)` }).click();
    await page.getByRole('combobox', { name: 'Column with the phone numbers' }).waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello {name}, we open at ten today.');
    await page.getByText('1 person who is blocked is left out.').waitFor();
    await takePicture(page, 'shop-campaign');
    const send = { name: `Send ${PEOPLE - 1} messages` };
    await page.getByRole('button', send).click();
    await page.getByRole('dialog').getByRole('button', send).click();
    await page.waitForURL(/campaigns\/[\da-f]{24}/);
    const messages = dashboard.service.collection('messages');
    const sentTo = (number: string) => messages.countDocuments({ direction: 'sent', peerNumber: number });
    expect(await messages.countDocuments({ direction: 'sent' })).toBe(PEOPLE - 1);
    expect([await sentTo(ERIN), await sentTo(GRACE)]).toEqual([0, 1]);

    await phone.receiveSms(GRACE, 'Do you repair bikes?');
    await page.getByRole('link', { name: 'Conversations' }).click();
    await page.getByText('Grace Lane').first().click();
    await page.getByRole('log').getByText('Hello Grace Lane, we open at ten today.').waitFor();
    await page.getByLabel('Reply to Grace Lane').fill('Yes, we do.');
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await eventually(
      () => messages.findOne({ message: 'Yes, we do.' }),
      (reply) => reply?.recipient === GRACE,
    );
    await takePicture(page, 'shop-conversation');
    // A number without messages has no conversation.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 404'))).toEqual([]);
  });
});
