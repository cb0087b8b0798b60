import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { ProcessRegistry } from '../../src/ops/operations/process-registry.service';
import { runAdminHere } from '../support/admin';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const PASSWORD = 'correct horse battery staple';

describe('the operations page of the dashboard', () => {
  let dashboard: Dashboard;
  let operator: TestClient;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    operator = dashboard.owner;
    const { service } = dashboard;
    const hash = await service.get(PasswordHasher).hash(PASSWORD);
    await service.get(AccountsRepository).setPassword(accountScope(operator.user), hash, null, new Date());
    const args = ['account', 'operator', '--email', emailOf(operator)];
    expect(await runAdminHere(service.environment, args)).toMatchObject({ code: 0 });
  });
  afterAll(() => dashboard.stop());
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const emailOf = ({ user }: TestClient) => `${user.toHexString()}@example.com`;

  it('does not exist for others', async () => {
    const page = await dashboard.open('/operations', { owner: await dashboard.service.newAccount() });
    await page.getByText('There is nothing at this address.').waitFor();
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  });

  it('disables, enables and moves an account to another plan, each with the password again', async () => {
    const tenant = await dashboard.service.newAccount('Tenant');
    const email = emailOf(tenant);
    const page = await dashboard.open('/operations');
    await page.getByLabel('Beginning of an e-mail address').fill(email.slice(0, 24));
    await page.waitForURL(/email=/);
    const row = page.getByRole('row', { name: email });
    await row.waitFor();
    const act = async (action: string, password: string) => {
      await page.getByRole('button', { name: `Change ${email}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
      const dialog = page.getByRole('dialog', { name: action });
      await dialog.getByLabel('Your password').fill(password);
      return dialog;
    };
    let dialog = await act('Disable the account', 'not the password');
    await dialog.getByRole('button', { name: 'Disable the account' }).click();
    await dialog.getByText('That is not the password of this account.').waitFor();
    await takePicture(page, 'operations-disable');
    expect(await faultsOf(page)).toEqual([]);
    expect((await tenant.get('/auth/who-am-i')).status).toBe(200);
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Disable the account' }).click();
    await row.getByText('Disabled').waitFor();
    expect((await tenant.get('/auth/who-am-i')).status).toBe(401);

    dialog = await act('Enable the account', PASSWORD);
    await dialog.getByRole('button', { name: 'Enable the account' }).click();
    await row.getByText('Disabled').waitFor({ state: 'detached' });
    expect((await tenant.get('/auth/who-am-i')).status).toBe(200);

    dialog = await act('Change the plan', PASSWORD);
    const submit = dialog.getByRole('button', { name: 'Change the plan' });
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Plan' }).click();
    const other = page.getByRole('option', { selected: false }).first();
    const plan = (await other.textContent()) ?? '';
    await other.click();
    await submit.click();
    await row.getByText(plan, { exact: true }).waitFor();

    const actions = page.getByRole('table', { name: 'Last actions of operators' });
    await actions.getByText(/^Changed the plan to/).waitFor();
    expect(await actions.getByRole('row').count()).toBe(4);
    expect(await actions.getByText('You', { exact: true }).count()).toBe(3);

    // Notices appear where the menu may open, and must not cover it.
    const layerOf = (selector: string) =>
      page.evaluate<number>(`Number(getComputedStyle(document.querySelector('${selector}')).zIndex)`);
    await page.getByRole('button', { name: `Change ${email}` }).click();
    await page.getByRole('menu').waitFor();
    expect(await layerOf('[role=menu]')).toBeGreaterThan(await layerOf('[data-position=bottom-right]'));
  });

  it('offers an operator no way to disable the own account', async () => {
    const page = await dashboard.open(`/operations?email=${emailOf(operator)}`);
    await page.getByRole('button', { name: `Change ${emailOf(operator)}` }).click();
    await page.getByRole('menuitem', { name: 'Change the plan' }).waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(1);
  });

  it('pages through the accounts', async () => {
    for (let index = 0; index < 27; index += 1) {
      await dashboard.service.newAccount(index === 0 ? `<b>${'W'.repeat(90)}` : `Tenant ${index}`);
    }
    const page = await dashboard.open('/operations');
    const table = page.getByRole('table', { name: 'Accounts' });
    await table.waitFor();
    expect(await table.getByRole('row').count()).toBe(26);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.waitForURL((url) => !url.search.includes('cursor'));
  });

  it('lists the processes, and says which role is missing', async () => {
    const worker = await TestService.start({
      environment: { APP_ROLES: 'worker' },
      shared: dashboard.service,
    });
    const page = await dashboard.open('/operations');
    const table = page.getByRole('table', { name: 'Processes' });
    await table.getByRole('cell', { name: 'worker', exact: true }).waitFor();
    expect(await page.getByText('No process has the role').count()).toBe(0);
    await worker.stop();
    const registry = dashboard.service.get(ProcessRegistry);
    const [self] = (await registry.list()) ?? [];
    if (!self) throw new Error('The service runs');
    const others = [
      { ...self, roles: ['api' as const] },
      { ...self, id: 'other', roles: ['scheduler' as const], version: '0.9.0' },
    ];
    jest.spyOn(registry, 'list').mockResolvedValue(others);
    await page.getByText('No process has the role worker').waitFor();
    await page.getByText('Start a process whose APP_ROLES contain worker.').waitFor();
    await page.getByText(/^Several versions are running: .* and 0\.9\.0$/).waitFor();
    await takePicture(page, 'operations-missing-role');
    expect(await faultsOf(page)).toEqual([]);
    jest.restoreAllMocks();
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const page = await dashboard.open('/operations');
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await page.getByRole('table', { name: 'Processes' }).waitFor();
    expect(await faultsInAllViews(page, 'operations')).toEqual([]);
  });
});
