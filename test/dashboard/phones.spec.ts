import type { Page } from 'playwright-core';
import { Types } from 'mongoose';
import { VirtualPhone, type VirtualPhoneOptions } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const TWO_SIMS = [
  { subscriptionId: 1, slot: 0 },
  { subscriptionId: 2, slot: 1 },
];
const HOSTILE = `<script>alert(1)</script>${'W'.repeat(400)}`;
const RIGHT_TO_LEFT = `\u202e${HOSTILE}`;

describe('the phones of the dashboard', () => {
  let dashboard: Dashboard;
  const phones: VirtualPhone[] = [];
  beforeAll(async () => {
    dashboard = await Dashboard.start();
  });
  afterAll(async () => {
    await Promise.all(phones.map((phone) => phone.stop()));
    await dashboard.stop();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const startPhone = async (options: Partial<VirtualPhoneOptions> = {}): Promise<VirtualPhone> => {
    const { url, apiKey } = dashboard.owner;
    const phone = new VirtualPhone({ baseUrl: url, apiKey, sendDelaySeconds: 0, ...options });
    phones.push(phone);
    await phone.start();
    return phone;
  };

  const simsOf = async (device: string): Promise<{ _id: string }[]> => {
    const answer = await dashboard.owner.get('/gateway/sims');
    return (answer.body as { data: { _id: string; device: string }[] }).data.filter(
      (sim) => sim.device === device,
    );
  };

  const openActions = (page: Page, name: string) =>
    page.getByRole('button', { name: `Actions for ${name}` }).click();

  it('shows a dead phone in red, with the reason and what to do', async () => {
    const device = await dashboard.owner.newDevice({ name: 'Warehouse' });
    const longAgo = new Date(Date.now() - 3_600_000);
    const stream = { id: new Types.ObjectId(), openedAt: longAgo, closedAt: longAgo };
    await dashboard.service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, { $set: { stream } });
    const page = await dashboard.open('/phones');
    const card = page.locator('.mantine-Card-root', { hasText: 'Warehouse' });
    await card.getByText('Problem').waitFor();
    await card.getByText('The phone cannot be reached.').waitFor();
    await card.getByRole('link', { name: 'Warehouse' }).click();
    await page.getByRole('heading', { name: 'What is wrong' }).waitFor();
    await page.getByText('Check that it is switched on and has a connection').waitFor();
  });

  it('renames a phone, and takes it back', async () => {
    const device = await dashboard.owner.newDevice({ name: 'Old name' });
    const page = await dashboard.open(`/phones/${device}`);
    await openActions(page, 'Old name');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('New name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Old name', level: 1 }).waitFor();
  });

  it('disables a phone, stops its new messages and deletes it', async () => {
    const device = await dashboard.owner.newDevice({ name: 'Spare' });
    const page = await dashboard.open(`/phones/${device}`);
    await openActions(page, 'Spare');
    await page.getByRole('menuitem', { name: 'Stop new messages' }).click();
    await page.getByRole('heading', { name: 'Takes no new messages' }).waitFor();
    await page.getByText('Everything is sent and reported.').waitFor();
    await page.getByRole('button', { name: 'Take new messages again' }).click();
    await page.getByRole('heading', { name: 'Takes no new messages' }).waitFor({ state: 'detached' });
    await openActions(page, 'Spare');
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('The phone is disabled.').waitFor();
    await openActions(page, 'Spare');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const submit = page.getByRole('button', { name: 'Delete the phone' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('Type Spare to confirm').fill('Spare');
    await submit.click();
    await page.waitForURL('**/phones');
    expect((await dashboard.owner.get(`/gateway/devices/${device}`)).status).toBe(404);
  });

  it('asks before it disables a phone for which messages wait, and says then that no phone takes any', async () => {
    const owner = await dashboard.service.newAccount('Closing');
    const device = await owner.newDevice({ name: 'Counter' });
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    await owner.send(['+4915112345678'], { deviceId: device, scheduledAt });
    const page = await dashboard.open('/phones', { owner });
    await page.getByText('1 waiting').first().waitFor();
    await openActions(page, 'Counter');
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    const asking = page.getByRole('dialog', { name: 'Disable Counter?' });
    await asking.getByText('1 message waits for it, and fails').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'phones-disable');
    await asking.getByRole('button', { name: 'Cancel' }).click();
    await openActions(page, 'Counter');
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await asking.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The phone is disabled.').waitFor();

    await page.goto(new URL('/', page.url()).href);
    await page.getByText('No phone takes messages: each is disabled or draining.').waitFor();
    expect(await page.getByRole('link', { name: 'Go to the phones' }).getAttribute('href')).toBe('/phones');
    await takePicture(page, 'overview-no-enabled-phone');
    await page.goto(new URL('/send', page.url()).href);
    await page.getByText('No phone takes messages: each is disabled or takes no new ones.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'send-no-enabled-phone');
  });

  it('checks a phone, moves what waits for it, and replaces it', async () => {
    const owner = await dashboard.service.newAccount('Replacing');
    const lost = await owner.registerDevice({ name: 'Lost' });
    const spare = await owner.newDevice({ name: 'Spare' });
    const send = () => owner.send(['+4915112345678'], { deviceId: lost });
    const first = await send();
    const page = await dashboard.open(`/phones/${lost}`, { owner });
    const checkup = page.getByRole('region', { name: 'Checkup' });
    await checkup.getByText('It has no connection to the service').waitFor();
    expect(await checkup.getByRole('listitem').count()).toBe(10);
    expect(await faultsOf(page)).toEqual([]);

    await openActions(page, 'Lost');
    await page.getByRole('menuitem', { name: 'Move what waits to another phone' }).click();
    const moving = page.getByRole('dialog', { name: 'Move what waits for Lost' });
    await moving.getByRole('combobox', { name: 'Other phone' }).click();
    await page.getByRole('option', { name: 'Spare' }).click();
    expect(await faultsOf(page)).toEqual([]);
    await moving.getByRole('button', { name: 'Move' }).click();
    await page.getByText('1 message was moved.').waitFor();
    expect((await owner.batch(spare, first)).messages).toHaveLength(1);

    await send();
    await openActions(page, 'Lost');
    await page.getByRole('menuitem', { name: 'Replace by another phone' }).click();
    const replacing = page.getByRole('dialog', { name: 'Replace Lost' });
    await replacing.getByRole('combobox', { name: 'Other phone' }).click();
    await page.getByRole('option', { name: 'Spare' }).click();
    await replacing.getByRole('button', { name: 'Replace the phone' }).click();
    await page.getByText('Spare takes the place of Lost.').waitFor();
    await page.waitForURL(`**/phones/${spare}`);
    expect((await owner.get(`/gateway/devices/${lost}`)).status).toBe(404);
  });

  it('shows the error of a limit beside its field, then the bar of the limit', async () => {
    const phone = await startPhone({ name: 'Limited', sims: TWO_SIMS });
    const [sim] = await simsOf(phone.deviceId);
    const page = await dashboard.open(`/phones/${phone.deviceId}?sim=${sim?._id ?? ''}`);
    await page.getByRole('textbox', { name: 'Messages a day' }).fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must not be less than 1').waitFor();
    await page.getByRole('textbox', { name: 'Messages a day' }).fill('5');
    await page.getByRole('textbox', { name: 'Label' }).fill('Work');
    await page.getByRole('button', { name: 'Save' }).click();
    const bar = page.getByRole('progressbar', { name: 'Work: Messages today' });
    await bar.waitFor({ state: 'attached' });
    expect(await bar.getAttribute('aria-valuetext')).toBe('0 of 5');
    await dashboard.owner.send(['+447700900123'], { deviceId: phone.deviceId, simSubscriptionId: 1 });
    await phone.until('delivered', 1);
    await eventually(
      () => page.getByRole('progressbar', { name: 'Work: Messages today' }).getAttribute('aria-valuetext'),
      (text) => text === '1 of 5',
    );
  });

  it('sends a test message and shows its way, and receives one', async () => {
    const phone = await startPhone({ name: 'Tested' });
    const page = await dashboard.open(`/phones/${phone.deviceId}`);
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByRole('textbox', { name: /^To/ }).fill('not a number');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/is not a phone number/).waitFor();
    await page.getByRole('textbox', { name: /^To/ }).fill('+447700900123');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const status = page.getByRole('status', { name: 'Progress of the message' });
    await status.getByText('Delivered').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'phones-test-message');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await openActions(page, 'Tested');
    await page.getByRole('menuitem', { name: 'Simulate an incoming message' }).click();
    await page.getByRole('textbox', { name: /^From/ }).fill('+447700900456');
    await page.getByRole('textbox', { name: /^Text/ }).fill('Hello there');
    await page.getByRole('button', { name: 'Receive it' }).click();
    await page.getByText('The message was received.').waitFor();
    const answer = await dashboard.owner.get('/gateway/messages?direction=received');
    expect((answer.body as { data: unknown[] }).data).toContainEqual(
      expect.objectContaining({ message: 'Hello there', sender: '+447700900456' }),
    );
  });

  it('is accessible with many phones and hostile names, wide and narrow, in both themes', async () => {
    const device = await dashboard.owner.newDevice({ name: HOSTILE, model: RIGHT_TO_LEFT, brand: HOSTILE });
    await dashboard.owner.post(`/gateway/devices/${device}/heartbeat`, {
      batteryPercentage: 7,
      isCharging: false,
      networkType: HOSTILE,
      isIgnoringBatteryOptimizations: false,
      simInfo: {
        lastUpdated: Date.now(),
        sims: [{ subscriptionId: 1, simSlotIndex: 0, carrierName: HOSTILE, countryIso: 'de' }],
      },
    });
    const [sim] = await simsOf(device);
    const { status } = await dashboard.owner.patch(`/gateway/sims/${sim?._id ?? ''}`, {
      limits: { messagesPerDay: 200, recipientsPerMonth: 250, partsPerMinute: 20 },
    });
    expect(status).toBe(200);
    for (let count = 1; count < 6; count++) await dashboard.owner.newDevice({ name: `Phone ${count}` });
    const list = await dashboard.open('/phones');
    const lines = list.getByRole('table', { name: 'Phones' }).getByRole('row');
    await lines.filter({ hasText: '7%' }).first().waitFor();
    expect(await lines.count()).toBeGreaterThan(6);
    expect(await faultsInAllViews(list, 'phones')).toEqual([]);
    const page = await dashboard.open(`/phones/${device}`);
    await page.getByRole('heading', { name: 'What is wrong' }).waitFor();
    expect(await faultsInAllViews(page, 'phone')).toEqual([]);
    await page.getByRole('button', { name: /^Settings of/ }).click();
    await page.getByRole('textbox', { name: 'Messages a day' }).waitFor();
    expect(await faultsInAllViews(page, 'sim')).toEqual([]);
  });
});
