import type { Page } from 'playwright-core';
import { TestClient } from '../support/client';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

describe('the API keys of the dashboard', () => {
  let dashboard: Dashboard;
  let owner: TestClient;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
  });
  beforeEach(async () => {
    owner = await dashboard.service.newAccount('Ada');
  });
  afterAll(() => dashboard.stop());
  afterEach(() => {
    const errors = dashboard.browser.errors.splice(0);
    expect(errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const open = (path: string, options: Parameters<Dashboard['open']>[1] = {}) =>
    dashboard.open(path, { owner, ...options });
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const shownKey = async (page: Page) => (await page.getByText(/^mgw_\w{32}$/).textContent()) ?? '';

  const create = async (page: Page, name: string, kind: string) => {
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('radio', { name: kind }).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    return shownKey(page);
  };

  it('makes a key that is shown once, shows its use, renames, revokes and deletes it', async () => {
    const page = await open('/api-keys');
    const key = await create(page, 'Shop', 'Full');
    await page.getByText('It is not shown again').waitFor();
    await takePicture(page, 'api-keys-made');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    await rowOf(page, 'Shop').getByText('never used').filter({ visible: true }).waitFor();
    expect(await page.content()).not.toContain(key);

    const program = new TestClient(owner.url, key, owner.user);
    await program.get('/gateway/devices').expect(200);
    await page.reload();
    await rowOf(page, 'Shop').getByText('from 127.0.0.1').filter({ visible: true }).waitFor();

    await page.getByRole('button', { name: 'Rename Shop' }).click();
    await page.getByLabel('New name of Shop').fill('Web shop');
    await page.keyboard.press('Enter');
    await page.getByText('The key is now called Web shop.').waitFor();
    await rowOf(page, 'Web shop').waitFor();

    await page.getByRole('button', { name: 'Revoke Web shop' }).click();
    await page.getByText('This cannot be undone').waitFor();
    const revoke = page.getByRole('button', { name: 'Revoke the key' });
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByLabel('Type Web shop to confirm').fill('Web shop');
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Web shop is revoked.').waitFor();
    await rowOf(page, 'Web shop').waitFor({ state: 'detached' });
    await program.get('/gateway/devices').expect(401);

    await page.getByText('Revoked', { exact: true }).click();
    await page.getByRole('button', { name: 'Delete Web shop' }).click();
    await page.getByLabel('Type Web shop to confirm').fill('Web shop');
    await page.getByRole('button', { name: 'Delete the key' }).click();
    await page.getByText('No key was revoked.').waitFor();
  });

  it('makes a key for a phone, with its QR code, that only its phone can use', async () => {
    const page = await open('/api-keys');
    const key = await create(page, 'Office phone', 'Phone');
    await page.getByRole('img', { name: 'QR code with the key' }).waitFor();
    await takePicture(page, 'api-keys-phone');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    await rowOf(page, 'Office phone').getByText('No phone yet').waitFor();
    const phone = new TestClient(owner.url, key, owner.user);
    const device = await phone.newDevice({ name: 'Reception' });
    await owner.patch(`/gateway/devices/${device}`, { name: 'Reception' }).expect(200);
    await phone.get('/gateway/messages').expect(401);
    await page.reload();
    const link = rowOf(page, 'Office phone').getByRole('link', { name: 'Reception' });
    expect(await link.getAttribute('href')).toBe(`/phones/${device}`);
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const keys = dashboard.service.collection('apikeys');
    await keys.updateOne({ user: owner.user }, { $set: { name: '<script>alert(1)</script>'.repeat(400) } });
    const now = dashboard.service.clock.now();
    for (let index = 0; index < 12; index += 1) {
      await keys.insertOne({
        user: owner.user,
        hash: `hash ${owner.user.toHexString()} ${index}`,
        start: `mgw_k${index}`,
        name: index % 2 === 0 ? `\u202EPhone ${index}` : `Program ${index}`,
        kind: index % 2 === 0 ? 'phone' : 'full',
        slot: index + 10,
        createdAt: now,
        ...(index % 3 === 0 && { lastUsedAt: now, lastUsedFrom: '2001:db8:1234:5678::/64' }),
      });
    }
    const page = await open('/api-keys');
    await rowOf(page, 'Program 11').waitFor();
    expect(await faultsInAllViews(page, 'api-keys')).toEqual([]);
    await page.goto(`${dashboard.service.url}/api-keys?status=revoked`);
    await page.getByText('No key was revoked.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.context().close();
  });
});
