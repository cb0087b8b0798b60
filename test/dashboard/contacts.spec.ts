import { VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { Dashboard, faultsInAllViews, faultsOf, NARROW, takePicture } from './dashboard';

const ANA = '+447700900123';
const WORK = '+447700900124';
const BO = '+447700900125';
const HOSTILE = `<script>alert(1)</script>${'W'.repeat(40)}`;

describe('the contacts of the dashboard', () => {
  let dashboard: Dashboard;
  let phone: VirtualPhone;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    const { url, apiKey } = dashboard.owner;
    phone = new VirtualPhone({ baseUrl: url, apiKey, name: 'Rack 1', sendDelaySeconds: 0 });
    await phone.start();
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const create = async (body: object) => {
    const answer = await dashboard.owner.post('/gateway/contacts', body).expect(201);
    return (answer.body as { data: { _id: string } }).data._id;
  };

  it('are added, found, merged, put on a list and written to', async () => {
    const page = await dashboard.open('/contacts');
    await page.getByText('Your address book is empty').waitFor();
    await takePicture(page, 'contacts-empty');
    await page.getByRole('main').getByRole('button', { name: 'Add a contact' }).first().click();
    const editor = page.getByRole('dialog', { name: 'Add a contact' });
    await editor.getByRole('textbox', { name: 'Name', exact: true }).fill('Ana Marín');
    await editor.getByRole('textbox', { name: 'Number' }).fill('4.47E+11');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('format the column of phone numbers as text').waitFor();
    await editor.getByRole('textbox', { name: 'Number' }).fill('+44 7700 900123');
    await editor.getByLabel('Tags').fill('customer');
    await page.keyboard.press('Enter');
    await editor.getByRole('button', { name: 'Add a field' }).click();
    await editor.getByRole('textbox', { name: 'Field', exact: true }).fill('city');
    await editor.getByRole('textbox', { name: 'Value' }).fill('Leeds');
    await editor.getByRole('textbox', { name: 'Notes' }).fill('Calls after five');
    expect(await faultsInAllViews(page, 'contacts-editor')).toEqual([]);
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ana Marín is saved.').waitFor();

    await create({ name: 'Ana (work)', numbers: [{ number: WORK }], tags: ['supplier'] });
    await create({
      name: HOSTILE,
      numbers: [{ number: BO, label: HOSTILE.slice(0, 40) }],
      tags: [HOSTILE.slice(0, 60)],
    });
    const list = page.getByRole('list', { name: 'Contacts' });
    await list.getByText('Ana (work)').waitFor();
    expect(await faultsInAllViews(page, 'contacts')).toEqual([]);
    await page.getByRole('textbox', { name: 'Search names and numbers' }).fill('marin');
    await list.getByText('Ana (work)').waitFor({ state: 'detached' });
    await list.getByText('Ana Marín').click();

    await page.getByRole('heading', { name: 'Ana Marín' }).waitFor();
    await page.getByRole('button', { name: 'Actions for Ana Marín' }).click();
    await page.getByRole('menuitem', { name: 'Merge with another contact' }).click();
    const merging = page.getByRole('dialog');
    await merging.getByRole('combobox', { name: 'The other contact' }).fill('+447700900124');
    await page.getByRole('option', { name: 'Ana (work)' }).click();
    await takePicture(page, 'contacts-merge');
    expect(await faultsOf(page)).toEqual([]);
    await merging.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText(WORK).waitFor();

    await page.getByRole('link', { name: 'Back to the contacts' }).click();
    await page.getByRole('tab', { name: 'Lists' }).click();
    await page.getByRole('main').getByRole('button', { name: 'Create a list' }).first().click();
    const naming = page.getByRole('dialog', { name: 'Create a list' });
    await naming.getByRole('textbox', { name: 'Name' }).fill('Newsletter');
    await naming.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Newsletter is saved.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Create a list' }).first().click();
    await naming.getByRole('textbox', { name: 'Name' }).fill('Customers');
    await naming.getByRole('radio', { name: 'All contacts with a tag' }).check();
    await naming.getByRole('textbox', { name: 'Tag', exact: true }).fill('Customer');
    expect(await faultsOf(page)).toEqual([]);
    await naming.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tag: Customer').waitFor();

    await page.getByRole('tab', { name: 'Contacts' }).click();
    await list.getByText('Ana Marín').click();
    await page.getByRole('combobox', { name: 'Lists' }).click();
    await page.getByRole('option', { name: 'Newsletter' }).click();
    await page.getByText('The lists are saved.').waitFor();
    await page.getByRole('heading', { name: 'Ana Marín' }).click();
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    expect(await faultsInAllViews(page, 'contact')).toEqual([]);
    await page.getByRole('link', { name: 'Back to the contacts' }).click();
    await page.getByRole('tab', { name: 'Lists' }).click();
    await page.getByText('1 contact').first().waitFor();
    expect(await faultsInAllViews(page, 'contacts-lists')).toEqual([]);

    const card = page.getByRole('main').locator('.mantine-Card-root').filter({ hasText: 'Newsletter' });
    await card.getByRole('link', { name: 'Send to the list' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Hello from the list');
    await takePicture(page, 'send-to-list');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();
    await eventually(
      () => dashboard.service.collection('messages').findOne({ message: 'Hello from the list' }),
      (message) => message?.recipient === ANA,
    );
    expect(
      await dashboard.service.collection('messages').countDocuments({ message: 'Hello from the list' }),
    ).toBe(1);
  });

  it('are shown in conversations, and added there', async () => {
    await phone.receiveSms('+447700900200', 'Who are you?');
    await phone.receiveSms(BO, 'Hi');
    const page = await dashboard.open('/conversations', { viewport: NARROW });
    await page.getByText(HOSTILE).first().waitFor();
    await page.getByText('+447700900200').first().click();
    await page.getByRole('button', { name: 'Add contact' }).click();
    const editor = page.getByRole('dialog', { name: 'Add a contact' });
    await editor.getByRole('textbox', { name: 'Name', exact: true }).fill('Cleo');
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Cleo' }).waitFor();
    expect(await faultsInAllViews(page, 'conversation-contact')).toEqual([]);
    await page.getByRole('link', { name: 'Open the contact' }).click();
    await page.getByRole('heading', { name: 'Cleo' }).waitFor();
    await page.getByRole('button', { name: 'Actions for Cleo' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Erase the person' }).check();
    await takePicture(page, 'contacts-delete');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the contact' }).click();
    await page.getByText('Cleo is deleted.').waitFor();
    expect(await dashboard.service.collection('messages').countDocuments({ message: 'Who are you?' })).toBe(
      0,
    );
  });

  it('are the recipients of a campaign, with their names and fields', async () => {
    await create({ name: 'Dora', numbers: [{ number: '+447700900300' }], fields: { city: 'York' } });
    const list = { name: 'From York', segment: { field: 'city', value: 'york' } };
    await dashboard.owner.post('/gateway/lists', list).expect(201);
    const page = await dashboard.open('/campaigns/new');
    await page.getByRole('tab', { name: 'List of contacts' }).click();
    await page.getByRole('combobox', { name: 'Choose a list' }).click();
    await page.getByRole('option', { name: 'From York (1 contact)' }).click();
    await page.getByRole('combobox', { name: 'Column with the phone numbers' }).waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello {name} of {city}');
    await page.getByText('Hello Dora of York').first().waitFor();
    await takePicture(page, 'campaign-of-list');
    expect(await faultsOf(page)).toEqual([]);
  });
});
