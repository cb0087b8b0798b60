import type { Page } from 'playwright-core';
import { VirtualPhone } from 'messaging-gateway-phone';
import type { TestClient } from '../support/client';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const SIMS = [
  { subscriptionId: 1, slot: 0 },
  { subscriptionId: 2, slot: 1 },
];
const HOSTILE = `<script>alert(1)</script>${'W'.repeat(20)}`;

describe('the pools of the dashboard', () => {
  let dashboard: Dashboard;
  let phone: VirtualPhone;
  let sims: string[];
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    const { url, apiKey } = dashboard.owner;
    phone = new VirtualPhone({ baseUrl: url, apiKey, name: 'Rack 1', sendDelaySeconds: 0, sims: SIMS });
    await phone.start();
    const answer = await dashboard.owner.get('/gateway/sims');
    sims = (answer.body as { data: { _id: string }[] }).data.map(({ _id }) => _id);
    await dashboard.owner.patch(`/gateway/sims/${sims[0] ?? ''}`, {
      label: 'North',
      limits: { messagesPerDay: 200 },
    });
    await dashboard.owner.patch(`/gateway/sims/${sims[1] ?? ''}`, { label: 'South' });
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const newPool = async (fields: object, owner: TestClient = dashboard.owner): Promise<string> => {
    const answer = await owner.post('/gateway/pools', { sims, ...fields });
    expect(answer.status).toBe(201);
    return (answer.body as { data: { _id: string } }).data._id;
  };

  const openActions = (page: Page, name: string) =>
    page.getByRole('button', { name: `Actions for ${name}` }).click();

  it('shows the first step of an account without SIMs', async () => {
    const owner = await dashboard.service.newAccount('New');
    const page = await dashboard.open('/pools', { owner });
    await page.getByRole('link', { name: 'Go to the phones' }).waitFor();
    await takePicture(page, 'pools-empty');
    expect(await faultsOf(page)).toEqual([]);
  });

  it('creates a pool, and simulates which SIM sends', async () => {
    const page = await dashboard.open('/pools');
    await page.getByRole('button', { name: 'Create a pool' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Orders');
    await page.getByPlaceholder('Choose SIMs').click();
    await page.getByRole('option', { name: 'North · Rack 1' }).click();
    await page.getByRole('option', { name: 'South · Rack 1' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: /In turn/ }).check();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('textbox', { name: 'Prefix' }).fill('49');
    await takePicture(page, 'pools-editor');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be a + and 1 to 7 digits').waitFor();
    await page.getByRole('textbox', { name: 'Prefix' }).fill('+49');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    await page.getByText('The SIMs take turns').waitFor();

    await dashboard.owner.patch(`/gateway/sims/${sims[1] ?? ''}`, { enabled: false });
    await page.getByLabel('Number of the recipient').fill('+4915112345678');
    await page.getByRole('button', { name: 'Simulate' }).click();
    const result = page.getByRole('status', { name: 'Result' });
    await result.getByText('North · Rack 1 would send it').waitFor();
    await result.getByText('The SIM or its phone is disabled').waitFor();
    await takePicture(page, 'pools-simulation');
    await page.getByLabel('Number of the recipient').fill('x');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('Must be a phone number').waitFor();
    await dashboard.owner.patch(`/gateway/sims/${sims[1] ?? ''}`, { enabled: true });
  });

  it('makes a pool the default, and takes it back', async () => {
    await newPool({ name: 'First', isDefault: true });
    const second = await newPool({ name: 'Second' });
    const page = await dashboard.open(`/pools/${second}`);
    await openActions(page, 'Second');
    await page.getByRole('menuitem', { name: 'Make it the default pool' }).click();
    await page.getByText('It takes the messages that name neither').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It takes the messages that name neither').waitFor({ state: 'detached' });
    const answer = await dashboard.owner.get('/gateway/pools');
    const pools = (answer.body as { data: { name: string; isDefault: boolean }[] }).data;
    expect(pools.filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(['First']);
  });

  it('deletes a pool with messages only when told what becomes of them', async () => {
    const pool = await newPool({ name: 'Campaign' });
    await dashboard.owner.send(['+447700900123'], {
      poolId: pool,
      scheduledAt: new Date(dashboard.service.clock.now().getTime() + 3_600_000).toISOString(),
    });
    const page = await dashboard.open(`/pools/${pool}`);
    await openActions(page, 'Campaign');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('Type Campaign to confirm').fill('Campaign');
    await page.getByRole('button', { name: 'Delete the pool' }).click();
    await page.getByText('1 messages wait in the pool').waitFor();
    await page.getByRole('button', { name: 'Delete it; its messages stay with their SIMs' }).click();
    await page.waitForURL('**/pools');
    expect((await dashboard.owner.get(`/gateway/pools/${pool}`)).status).toBe(404);
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const pool = await newPool({
      name: `${HOSTILE} accessible`,
      strategy: 'least-loaded',
      countries: { '+49': [sims[0]], '+881': [] },
    });
    const list = await dashboard.open('/pools');
    await list.getByText('2 of 2 SIMs can send').first().waitFor();
    expect(await faultsInAllViews(list, 'pools')).toEqual([]);
    const page = await dashboard.open(`/pools/${pool}`);
    await page.getByText('Can send').first().waitFor();
    expect(await faultsInAllViews(page, 'pool')).toEqual([]);
  });
});
