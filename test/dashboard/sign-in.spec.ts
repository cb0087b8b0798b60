import type { Page } from 'playwright-core';
import { accountScope } from '../../src/auth/account-scope';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import { Dashboard, faultsInAllViews } from './dashboard';

describe('signing in to the dashboard', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.start({ environment: { ALLOW_REGISTRATION: 'true' } });
  });
  afterAll(() => dashboard.stop());

  const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

  it('leads to the page that was asked for, and out again', async () => {
    const [email, password] = ['person@example.com', 'correct horse battery staple'];
    const { status } = await fetch(`${dashboard.service.url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Person', email, password }),
    });
    expect(status).toBe(201);
    const page = await dashboard.browser.open(`${dashboard.service.url}/phones?state=offline`);
    await page.waitForURL('**/sign-in?to=*');
    await page.getByLabel('E-mail address').fill(email);
    // A first visit has not been signed out.
    expect(await page.getByText('You were signed out').count()).toBe(0);
    await page.locator('input[type=password]').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('E-mail address or password is wrong.').waitFor();
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    expect(path(page)).toBe('/phones?state=offline');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.getByRole('button', { name: 'Account and preferences' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await page.context().cookies()).toEqual([]);
  });

  it('spends the token of a link once, and clears it from the address', async () => {
    const token = await newToken();
    const link = `${dashboard.service.url}/sign-in#token=${token}`;
    const page = await dashboard.browser.open(link);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).not.toContain(token);
    const again = await dashboard.browser.open(link);
    await again.getByText('This link was already used').waitFor();
    expect(again.url()).not.toContain(token);
  });

  it.each(['//example.com', '/\\example.com', 'https://example.com', 'javascript:alert(1)'])(
    'does not lead to another site: %s',
    async (to) => {
      const token = await newToken();
      const url = `${dashboard.service.url}/sign-in?to=${encodeURIComponent(to)}#token=${token}`;
      const page = await dashboard.browser.open(url);
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(path(page)).toBe('/');
    },
  );

  it.each(['sign-in', 'reset-password'])('%s is accessible, wide and narrow, in both themes', async (at) => {
    const page = await dashboard.browser.open(`${dashboard.service.url}/${at}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await faultsInAllViews(page, at)).toEqual([]);
  });

  const newToken = () => dashboard.service.get(SignInLinksService).issue(accountScope(dashboard.owner.user));
});
