import type { Page } from 'playwright-core';
import { VIRTUAL_MODEL, VirtualPhone, type VirtualPhoneOptions } from 'messaging-gateway-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { SmsGateApp } from '../support/smsgate/smsgate-app';
import { Dashboard, faultsInAllViews, faultsOf, NARROW, takePicture, WIDE } from './dashboard';

const TRIAL = 'You are trying it out: no real phone is paired yet';

/** From the open page to a phone that has sent a message. */
const PAIRING_MS = 60_000;

describe('the pairing of phones in the dashboard', () => {
  let dashboard: Dashboard;
  const phones: VirtualPhone[] = [];
  const apps: SmsGateApp[] = [];
  beforeAll(async () => {
    dashboard = await Dashboard.start();
  });
  afterAll(async () => {
    for (const app of apps) app.stop();
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

  const phoneKeys = async (owner: TestClient) => {
    const answer = await owner.get('/auth/api-keys?status=all');
    return (answer.body as { data: { kind: string; deviceId?: string; status: string }[] }).data.filter(
      ({ kind }) => kind === 'phone',
    );
  };

  const shownKey = async (page: Page): Promise<string> =>
    (await page.getByText(/^mgw_\w{32}$/).textContent()) ?? '';

  async function openOwnApp(owner: TestClient): Promise<Page> {
    const page = await dashboard.open('/phones?pair=true', { owner });
    await page.getByRole('radio', { name: 'Own app' }).click();
    return page;
  }

  const codeOf = async (page: Page): Promise<string> => {
    const label = await page.getByRole('img', { name: /^Pairing code/ }).getAttribute('aria-label');
    return (label ?? '').replaceAll(/\D/g, '');
  };

  /** Pairs a phone as its app does: by the code that the page shows. @returns the phone. */
  async function pairByCode(
    owner: TestClient,
    code: string,
    fields: object = {},
  ): Promise<{ id: string; phone: TestClient }> {
    const answer = await owner.post('/auth/pairing-codes/redemptions', { code });
    const { apiKey } = (answer.body as { data: { apiKey: string } }).data;
    const phone = new TestClient(owner.url, apiKey, owner.user);
    return { id: await phone.newDevice({ os: 'Android', ...fields }), phone };
  }

  it('shows the app, the address and the code, and turns to the phone, which it checks', async () => {
    const owner = await dashboard.service.newAccount('New');
    const page = await dashboard.open('/phones?pair=true', { owner });
    const dialog = page.getByRole('dialog', { name: 'Pair a phone' });
    await dialog.getByText(TRIAL).waitFor();
    for (const name of ['SMS Gateway app', 'Cable', 'Own app'])
      await dialog.getByRole('radio', { name }).waitFor();
    await dialog.getByRole('img', { name: 'QR code with the download of the app' }).waitFor();
    await dialog.getByRole('link', { name: 'app-insecure.apk' }).waitFor();
    for (const step of ['Enter the address', 'Choose SSE Only', 'Type the code', 'Allow SMS'])
      await dialog.getByRole('heading', { name: step }).waitFor();
    // An address of this machine in its network, not the one that the browser is at.
    const port = new URL(dashboard.service.url).port;
    const shown = (await dialog.locator('code').first().textContent()) ?? '';
    expect(shown).toMatch(new RegExp(`^http://.+:${port}/sms$`));
    expect(shown).not.toContain('127.0.0.1');
    await dialog
      .getByRole('timer')
      .getByText(/^Valid for (10:00|9:\d\d), for one phone$/)
      .waitFor();
    await page.getByRole('status').getByText('Waiting for the phone').waitFor();
    expect(await faultsInAllViews(page, 'pairing-app')).toEqual([]);

    const { id, phone } = await pairByCode(owner, await codeOf(page), {
      name: 'Front desk',
      appVersionName: '1.68.0',
    });
    await page.waitForURL(`**/phones/${id}?paired=true`);
    await page.getByText('Front desk is paired.').waitFor();
    const checks = page.getByRole('region', { name: 'Is everything set?' });
    const check = (title: string) => checks.getByRole('listitem').filter({ hasText: title });
    await check('Channel').getByRole('img', { name: 'In order' }).waitFor();
    await check('Version of the app').getByText('1.68.0 is new enough.').waitFor();
    await check('Battery').getByRole('img', { name: 'Not known yet' }).waitFor();
    expect(await faultsInAllViews(page, 'pairing-checks')).toEqual([]);

    // Whether it may send is known only by a message.
    const sms = check('Permission to send SMS');
    await sms.getByRole('img', { name: 'Not known yet' }).waitFor();
    await sms.getByRole('textbox').fill('not a number');
    await sms.getByRole('button', { name: 'Send a test message' }).click();
    await sms.getByText(/phone number/).waitFor();
    await sms.getByRole('textbox').fill('+447700900123');
    await sms.getByRole('button', { name: 'Send a test message' }).click();
    const [message] = await eventually(
      async () => ((await owner.get('/gateway/messages')).body as { data: { _id: string }[] }).data,
      ({ length }) => length === 1,
    );
    await phone.report(id, message?._id ?? '', 'SENT').expect(200);
    await sms.getByRole('img', { name: 'In order' }).waitFor();
    await phone.post(`/gateway/devices/${id}/heartbeat`, {
      batteryPercentage: 80,
      isCharging: true,
      isIgnoringBatteryOptimizations: false,
    });
    await check('Battery').getByText('Charge: 80%, charging. Battery optimisation is on').waitFor();
    await checks.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL(`**/phones/${id}`);
    expect(await checks.count()).toBe(0);

    await page.goto(new URL('/phones?pair=true', dashboard.service.url).href);
    await dialog.getByRole('heading', { name: 'Type the code' }).waitFor();
    expect(await dialog.getByText(TRIAL).count()).toBe(0);
  });

  it.each([
    ['a wide', WIDE],
    ['a phone-sized', NARROW],
  ])('pairs the app in under a minute, on %s page', async (_, viewport) => {
    const startedAt = performance.now();
    const owner = await dashboard.service.newAccount('New');
    const page = await dashboard.open('/phones?pair=true', { owner, viewport });
    const code = await codeOf(page);
    // The service under test listens on this machine only, so its address in the network is of no use here.
    const shown = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    const { port, pathname } = new URL(shown);
    const app = new SmsGateApp({
      apiUrl: `http://127.0.0.1:${port}${pathname}`,
      credential: { code },
      now: () => dashboard.service.clock.now().getTime(),
    });
    apps.push(app);
    await app.start();
    await page.waitForURL(`**/phones/${app.deviceId}?paired=true`);
    const checks = page.getByRole('region', { name: 'Is everything set?' });
    const check = (title: string) => checks.getByRole('listitem').filter({ hasText: title });
    await check('Channel').getByRole('img', { name: 'In order' }).waitFor();
    await check('Version of the app').getByRole('img', { name: 'In order' }).waitFor();
    const sms = check('Permission to send SMS');
    await sms.getByRole('textbox').fill('+447700900123');
    await sms.getByRole('button', { name: 'Send a test message' }).click();
    await sms.getByRole('img', { name: 'In order' }).waitFor();
    expect(performance.now() - startedAt).toBeLessThan(PAIRING_MS);
    expect(app.aired).toMatchObject([{ phoneNumber: '+447700900123' }]);
    expect([app.violations, await faultsOf(page)]).toEqual([[], []]);
  });

  it('fits a phone-sized page, in each language', async () => {
    const owner = await dashboard.service.newAccount('Small');
    for (const [locale, name] of [
      ['de-DE', 'Kopplungscode'],
      ['es-ES', 'Código de vinculación'],
    ] as const) {
      const page = await dashboard.open('/phones?pair=true', { owner, viewport: NARROW, locale });
      await page.getByRole('img', { name: new RegExp(`^${name} \\d{4} \\d{3} \\d{3}$`) }).waitFor();
      await takePicture(page, `pairing-${locale}`);
      expect(await faultsOf(page)).toEqual([]);
    }
  });

  it('makes another code when the first has expired, and says that a code is used by one phone only', async () => {
    const owner = await dashboard.service.newAccount('Slow');
    const page = await dashboard.open('/phones', { owner });
    await page.clock.install();
    await page.getByRole('button', { name: 'Pair a phone' }).click();
    const first = await codeOf(page);
    let madeCount = 1;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/pairing-codes')) madeCount += 1;
    });
    // Other pages read again each half minute.
    await page.clock.runFor(45_000);
    expect(await codeOf(page)).toBe(first);
    await page.clock.fastForward('11:00');
    await page.getByText('The code has expired.').waitFor();
    await page.getByRole('button', { name: 'Make a new code' }).click();
    await eventually(
      () => codeOf(page),
      (code) => code !== first,
    );
    expect(madeCount).toBe(2);
  });

  it('shows the command for a phone on a cable, with its address and a code', async () => {
    const owner = await dashboard.service.newAccount('Cable');
    const page = await dashboard.open('/phones?pair=true', { owner });
    await page.getByRole('radio', { name: 'Cable' }).click();
    await page.getByText('npm run phone:usb -- --apk app-release.apk').waitFor();
    await page
      .getByText(`http://127.0.0.1:${new URL(dashboard.service.url).port}/sms`, { exact: true })
      .waitFor();
    await takePicture(page, 'pairing-cable');
    expect(await faultsOf(page)).toEqual([]);
    const { id } = await pairByCode(owner, await codeOf(page));
    await page.waitForURL(`**/phones/${id}?paired=true`);
  });

  it('ticks nothing for a virtual phone, and goes on saying that it is a trial', async () => {
    const owner = await dashboard.service.newAccount('Trial');
    const page = await dashboard.open('/phones?pair=true', { owner });
    const { id } = await pairByCode(owner, await codeOf(page), { model: VIRTUAL_MODEL });
    await page.waitForURL(`**/phones/${id}?paired=true`);
    const checks = page.getByRole('region', { name: 'Is everything set?' });
    await checks.getByText('This is a virtual phone').waitFor();
    expect(await checks.getByRole('listitem').count()).toBe(0);
    await page.goto(new URL('/phones?pair=true', dashboard.service.url).href);
    await page.getByText(TRIAL).waitFor();
  });

  it('pairs an app of one’s own by keyboard alone, and turns to it', async () => {
    const owner = await dashboard.service.newAccount('New');
    const page = await dashboard.open('/phones', { owner });
    await page.getByRole('heading', { name: 'Pair your first phone' }).waitFor();
    await takePicture(page, 'phones-empty');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pair a phone' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'SMS Gateway app' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('img', { name: 'QR code with the key of the phone' }).waitFor();
    const apiKey = await shownKey(page);
    expect(await page.getByText(dashboard.service.url, { exact: true }).count()).toBe(1);
    await page.getByRole('status').getByText('Waiting for the phone').waitFor();
    await takePicture(page, 'pairing-own');
    expect(await faultsOf(page)).toEqual([]);
    await startPhone({ apiKey, name: 'Front desk' });
    await page.waitForURL(/\/phones\/[0-9a-f]{24}$/);
    await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
    await page.getByText('Front desk is paired.').waitFor();
    // The key stays, because the phone uses it.
    expect(await phoneKeys(owner)).toEqual([expect.objectContaining({ status: 'active' })]);
  });

  it('deletes the key that no phone used when the window is closed', async () => {
    const owner = await dashboard.service.newAccount('Hesitant');
    const page = await openOwnApp(owner);
    await page.getByRole('img', { name: 'QR code with the key of the phone' }).waitFor();
    expect(await phoneKeys(owner)).toHaveLength(1);
    await page.keyboard.press('Escape');
    await eventually(
      () => phoneKeys(owner),
      (keys) => keys.length === 0,
    );
    expect(new URL(page.url()).search).toBe('');
  });

  it('revokes the key that no phone used when another address is opened, and shows it no more', async () => {
    const owner = await dashboard.service.newAccount('Gone');
    const page = await openOwnApp(owner);
    await page.getByRole('img', { name: 'QR code with the key of the phone' }).waitFor();
    const key = await shownKey(page);
    await page.goto(new URL('/docs', dashboard.service.url).href);
    await eventually(
      () => phoneKeys(owner),
      (keys) => keys.every(({ status }) => status !== 'active'),
    );
    await page.goBack();
    await page.getByRole('heading', { name: 'Pair your first phone' }).waitFor();
    expect(await page.content()).not.toContain(key);
  });
});
