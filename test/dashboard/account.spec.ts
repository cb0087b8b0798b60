import { Types } from 'mongoose';
import type { Page } from 'playwright-core';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { SessionsService } from '../../src/auth/sessions/sessions.service';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import { SubscriptionPauseService } from '../../src/webhooks/pausing/subscription-pause.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { SessionClient } from '../support/session-client';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const PASSWORD = 'correct horse battery staple';

/** Chromium refuses notifications in the profiles of tests, so that its part is replaced: who is asked agrees. */
const GRANTED_NOTIFICATIONS = `
  window.shownTitles = [];
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() {
      return (this.permission = 'granted');
    }
    constructor(title) {
      window.shownTitles.push(title);
    }
    close() {}
  };
`;

describe('the account page of the dashboard', () => {
  let dashboard: Dashboard;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await MailServer.start();
    dashboard = await Dashboard.start({
      environment: { SMTP_URL: mails.url, MAIL_FROM: 'gateway@example.com', ALLOW_REGISTRATION: 'true' },
    });
  });
  afterAll(async () => {
    await dashboard.stop();
    await mails.close();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    expect(dashboard.browser.errors.filter((text) => !/status of 4|ERR_/.test(text))).toEqual([]);
  });

  const emailOf = ({ user }: TestClient) => `${user.toHexString()}@example.com`;
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const whoAmI = async (client: TestClient) =>
    ((await client.get('/auth/who-am-i')).body as { data: Record<string, unknown> }).data;
  const newOwner = async (name = 'Ada') => {
    const owner = await dashboard.service.newAccount(name);
    const hash = await dashboard.service.get(PasswordHasher).hash(PASSWORD);
    await dashboard.service
      .get(AccountsRepository)
      .setPassword(accountScope(owner.user), hash, null, new Date());
    return owner;
  };
  const login = async (email: string, password: string) =>
    (await new SessionClient(dashboard.service.url).post('/auth/login', { email, password })).status;

  it('sets the first password in a session of a link, without an old one', async () => {
    const owner = await dashboard.service.newAccount('First');
    const token = await dashboard.service.get(SignInLinksService).issue(accountScope(owner.user));
    const page = await dashboard.browser.open(`${dashboard.service.url}/sign-in#token=${token}`);
    const question = region(page, 'Set a password');
    await question.getByRole('button', { name: 'Later' }).waitFor();
    expect(await faultsInAllViews(page, 'overview-password')).toEqual([]);
    await question.getByRole('link', { name: 'Set the password' }).click();
    const password = region(page, 'Password');
    await password.getByText('This account has no password yet.').waitFor();
    await password.getByLabel('New password').fill('12345678');
    expect(await password.getByLabel('Current password').count()).toBe(0);
    await password.getByRole('button', { name: 'Set the password' }).click();
    await password
      .getByText(/common/, { exact: false })
      .last()
      .waitFor();
    await password.getByLabel('New password').fill(PASSWORD);
    await password.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The password is set.').waitFor();
    expect(await login(emailOf(owner), PASSWORD)).toBe(200);
    // The session goes on, and asks from now on.
    await password.getByLabel('Current password').waitFor();
    await password.getByLabel('Current password').fill('not the password');
    await password.getByLabel('New password').fill(`${PASSWORD} 2`);
    await password.getByRole('button', { name: 'Change the password' }).click();
    await password.getByText('That is not the password of this account.').waitFor();
    expect(await login(emailOf(owner), PASSWORD)).toBe(200);
  });

  it('sets what the owner is told, and says why a browser does not show it', async () => {
    const owner = await newOwner();
    const page = await dashboard.open('/account', { owner });
    const notices = region(page, 'Notices');
    await notices.getByText('At most one e-mail in ten minutes').waitFor();
    await notices.getByRole('checkbox', { name: 'A phone that is back, for ten minutes' }).uncheck();
    await notices.getByLabel('Offline for so many minutes').fill('30');
    await notices.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The notices are saved.').waitFor();
    const stored = (await owner.get('/auth/notices')).body as { data: object };
    expect(stored.data).toMatchObject({ mail: true, phoneBack: false, offlineAfterMinutes: 30 });
    // Without a permission, this browser refuses.
    await notices.getByText('Notifications of this page are blocked.', { exact: false }).waitFor();
    expect(await notices.getByRole('switch', { name: 'In this browser' }).isDisabled()).toBe(true);
    expect(await faultsInAllViews(page, 'account-notices')).toEqual([]);
  });

  it('shows what happens as notifications of the browser, once that is switched on', async () => {
    const owner = await newOwner();
    const created = await owner.post('/webhooks', {
      name: 'Orders',
      deliveryUrl: 'https://example.com/hook',
      signingSecret: 'a secret of 20 characters and more',
      events: ['MESSAGE_RECEIVED'],
    });
    const id = new Types.ObjectId((created.body as { data: { _id: string } }).data._id);
    const page = await dashboard.open('/account', { owner });
    await page.addInitScript(GRANTED_NOTIFICATIONS);
    await page.reload();
    const shown = () => page.evaluate<string[]>('window.shownTitles');
    const toggle = region(page, 'Notices').getByRole('switch', { name: 'In this browser' });
    // What is wrong when it is switched on is no news, so that it is read before.
    const problemsRead = page.waitForResponse(/gateway\/problems$/);
    // The input itself is hidden below its picture.
    await toggle.check({ force: true });
    await eventually(shown, (titles) => titles.includes('Notifications are on.'));
    await problemsRead;
    const failing = { failingSince: new Date(), failingAttempts: 20 };
    await dashboard.service.collection('webhooksubscriptions').updateOne({ _id: id }, { $set: failing });
    await dashboard.service
      .get(SubscriptionPauseService)
      .pause(id, { deliveryUrl: 'https://example.com/hook' }, 'Paused: 410 Gone');
    await eventually(shown, (titles) => titles.length > 1);
    expect(await shown()).toEqual([
      'Notifications are on.',
      'The webhook Orders was paused, because it kept failing.',
    ]);
    await toggle.uncheck({ force: true });
    await page.reload();
    expect(await toggle.isChecked()).toBe(false);
  });

  it('changes the profile, and the address once its code is entered', async () => {
    const owner = await newOwner();
    const page = await dashboard.open('/account', { owner });
    const profile = region(page, 'Profile');
    await profile.getByLabel('Name').fill('Ada Lovelace');
    await profile.getByRole('combobox', { name: 'Default country' }).fill('United King');
    await page.getByRole('option', { name: 'United Kingdom' }).click();
    await profile.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The profile is saved.').waitFor();
    expect(await whoAmI(owner)).toMatchObject({ name: 'Ada Lovelace', defaultCountry: 'GB' });
    await profile.getByLabel('Name').fill('See https://example.com');
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByText(/web address/i).waitFor();

    const address = region(page, 'E-mail address');
    await address.getByRole('button', { name: 'Change the address' }).click();
    const email = `new-${emailOf(owner)}`;
    await address.getByLabel('New e-mail address').fill(email);
    await address.getByLabel('Current password').fill('not the password');
    await address.getByRole('button', { name: 'Send the code' }).click();
    await address.getByText('That is not the password of this account.').waitFor();
    await address.getByLabel('Current password').fill(PASSWORD);
    await address.getByRole('button', { name: 'Send the code' }).click();
    await address.getByText(`A code is on its way to ${email}.`).waitFor();
    expect(await whoAmI(owner)).toMatchObject({ email: emailOf(owner) });
    await address.getByLabel('Code from the e-mail').fill('AAAAA-AAAAA');
    await address.getByRole('button', { name: 'Confirm' }).click();
    await address.getByText('The code is wrong, used or expired').waitFor();
    await address.getByLabel('Code from the e-mail').fill(await mails.codeFor(email, 'Confirm'));
    await address.getByRole('button', { name: 'Confirm' }).click();
    await address.getByText(email, { exact: true }).waitFor();
    expect(await whoAmI(owner)).toMatchObject({ email });
  });

  it('verifies the address of a new account, which the overview asks for', async () => {
    const email = 'person@example.com';
    await new SessionClient(dashboard.service.url).register(email, PASSWORD);
    const page = await dashboard.browser.open(`${dashboard.service.url}/sign-in`, { locale: 'en-GB' });
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address of the account is not verified').waitFor();
    await page.getByRole('link', { name: /^Go to the account/ }).click();
    const address = region(page, 'E-mail address');
    await address.getByText('Not verified').waitFor();
    await address.getByRole('button', { name: 'Send the e-mail again' }).click();
    await page.getByText('The e-mail is on its way.').waitFor();
    await address.getByLabel('Code from the e-mail').fill(await mails.codeFor(email));
    await address.getByRole('button', { name: 'Confirm' }).click();
    await address.getByText('Verified', { exact: true }).waitFor();
  });

  it('signs out the other browsers, which lead to the sign-in page', async () => {
    const owner = await newOwner();
    const other = await dashboard.open('/', { owner });
    await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const page = await dashboard.open('/account', { owner });
    const sessions = region(page, 'Signed in');
    await sessions.getByText('This browser').waitFor();
    await sessions.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('1 session has ended.').waitFor();
    await other.waitForURL('**/sign-in?to=*');
    await eventually(
      () => sessions.getByRole('listitem').count(),
      (count) => count === 1,
    );
    await page.reload();
    await sessions.getByText('This browser').waitFor();
  });

  it('says that a session ended elsewhere, and has what was typed after signing in again', async () => {
    const owner = await newOwner();
    await owner.newDevice({ name: 'Front desk' });
    const signIn = async (page: Page) => {
      await page.getByLabel('E-mail address').fill(emailOf(owner));
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Send', level: 1 }).waitFor();
    };
    const page = await dashboard.open('/send?to=%2B447700900123', { owner });
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Half a sentence');
    await dashboard.service.get(SessionsService).endAll(accountScope(owner.user));
    await page.waitForURL('**/sign-in?to=*');
    await page.getByText('You were signed out').waitFor();
    expect(await faultsInAllViews(page, 'sign-in-ended')).toEqual([]);
    await signIn(page);
    expect(await text.inputValue()).toBe('Half a sentence');

    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('link', { name: 'Overview' }).click();
    expect(await text.inputValue()).toBe('Half a sentence');
    // Who signs out on purpose leaves nothing behind.
    await page.getByRole('button', { name: 'Account and preferences' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await page.goto(`${dashboard.service.url}/send?to=%2B447700900123`);
    await signIn(page);
    expect(await text.inputValue()).toBe('');
  });

  it('exports everything the account owns', async () => {
    const owner = await newOwner();
    await owner.newDevice({ name: 'Front desk' });
    const page = await dashboard.open('/account', { owner });
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download everything' }).click();
    const download = await started;
    expect(download.suggestedFilename()).toMatch(/^account-.*\.jsonl$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types[0]).toBe('account');
    expect(types).toContain('device');
    expect(types.at(-1)).toBe('end');
  });

  it('deletes the account only with its typed address and password', async () => {
    const owner = await newOwner();
    const page = await dashboard.open('/account', { owner });
    await page.getByRole('button', { name: 'Delete the account …' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Delete everything' });
    await dialog.getByLabel('Current password').fill('not the password');
    await dialog.getByLabel(/^Type /).fill('somebody@example.com');
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type /).fill(emailOf(owner));
    await takePicture(page, 'account-delete');
    expect(await faultsOf(page)).toEqual([]);
    await submit.click();
    await dialog.getByText('That is not the password of this account.').waitFor();
    expect((await owner.get('/auth/who-am-i')).status).toBe(200);
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await submit.click();
    await page.waitForURL('**/sign-in*');
    expect((await owner.get('/auth/who-am-i')).status).toBe(401);
    expect(await login(emailOf(owner), PASSWORD)).toBe(401);
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const owner = await newOwner(`<b>${'W'.repeat(90)}`);
    const userAgent = `<script>alert(1)</script>\u202e${'W'.repeat(100)}`;
    const page = await dashboard.open('/account', { owner, userAgent });
    await region(page, 'Signed in').getByText('This browser').waitFor();
    await region(page, 'E-mail address').getByRole('button', { name: 'Change the address' }).click();
    await region(page, 'E-mail address').getByLabel('Current password').waitFor();
    expect(await faultsInAllViews(page, 'account')).toEqual([]);
  });
});
