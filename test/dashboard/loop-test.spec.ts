import { VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const NUMBERS = ['+447700900101', '+447700900102'] as const;

describe('the loop test of the dashboard', () => {
  let dashboard: Dashboard;
  let phones: VirtualPhone[];
  let isSwallowed = false;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    const { url: baseUrl, apiKey } = dashboard.owner;
    phones = ['Front desk', 'Workshop'].map(
      (name) =>
        new VirtualPhone({
          baseUrl,
          apiKey,
          name,
          sims: [{ subscriptionId: 1, slot: 0 }],
          sendDelaySeconds: 0,
          deliveryDelaySeconds: 0,
        }),
    );
    for (const [index, phone] of phones.entries()) {
      await phone.start();
      phone.on('onAir', ({ text }) => {
        if (!isSwallowed || index === 1) void phones[1 - index]?.receiveSms(NUMBERS[index] ?? '', text);
      });
    }
  });
  afterAll(async () => {
    await Promise.all(phones.map((phone) => phone.stop()));
    await dashboard.stop();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  it('asks for a second SIM', async () => {
    const owner = await dashboard.service.newAccount('New');
    const page = await dashboard.open('/loop-test', { owner });
    await page.getByRole('link', { name: 'Go to the phones' }).waitFor();
    await takePicture(page, 'loop-test-empty');
    expect(await faultsOf(page)).toEqual([]);
  });

  it('asks for the numbers, and shows the seconds of each direction', async () => {
    const page = await dashboard.open('/phones');
    await page.getByRole('link', { name: 'Loop test' }).click();
    const settings = page.getByRole('region', { name: 'Which SIMs' });
    const numbers = settings.getByLabel('Its number');
    await numbers.nth(0).fill(NUMBERS[0]);
    await numbers.nth(1).fill(NUMBERS[0]);
    await settings.getByRole('checkbox', { name: 'Test each night' }).check();
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('must be another number').waitFor();
    await numbers.nth(1).fill(NUMBERS[1]);
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The loop test is saved.').waitFor();
    await settings.getByText('The next test runs').waitFor();

    await page.getByRole('button', { name: 'Test now' }).click();
    const result = page.getByRole('region', { name: 'Last test' });
    await result.getByText('Arrived after').nth(1).waitFor();
    expect(await faultsInAllViews(page, 'loop-test')).toEqual([]);
    await result.getByRole('link', { name: 'See the message' }).first().click();
    await page.getByText('This is a text of a loop test.').waitFor();
  });

  it('says that RCS chats swallow texts if one is lost, also on the overview', async () => {
    isSwallowed = true;
    const page = await dashboard.open('/loop-test');
    await page.getByRole('button', { name: 'Test now' }).click();
    const result = page.getByRole('region', { name: 'Last test' });
    await result.getByText('On its way').first().waitFor();
    await takePicture(page, 'loop-test-waiting');
    await result.getByText('Arrived after').waitFor();
    await eventually(
      () =>
        dashboard.service
          .collection('messages')
          .countDocuments({ direction: 'sent', status: { $ne: 'delivered' } }),
      (left) => left === 0,
    );
    dashboard.service.clock.advance(601_000);
    await result.getByText('RCS chats swallow texts', { exact: false }).waitFor();
    expect(await faultsInAllViews(page, 'loop-test-lost')).toEqual([]);
    await page.goto(`${dashboard.service.url}/`);
    await page.getByRole('link', { name: /See the loop test/ }).click();
    await result.getByText('Did not arrive').waitFor();
  });
});
