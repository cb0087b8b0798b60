import type { Page } from 'playwright-core';
import { TestBrowser } from '../support/browser';
import type { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { Nginx } from '../support/nginx';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

/** A name that is not local, for which browsers do not say where a page comes from without TLS. */
const HOST = 'gateway.test';

const [EMAIL, PASSWORD] = ['ada@example.com', 'correct horse battery staple'];

const [ROOT_BLOCK = '', SUB_PATH_BLOCK = ''] = MarkdownPage.read('operate/operations.md')
  .codeBlocks('text')
  .filter((code) => code.startsWith('location '));

describe('the dashboard behind nginx', () => {
  let browser: TestBrowser;
  const services: TestService[] = [];
  const proxies: Nginx[] = [];

  beforeAll(async () => {
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser.stop();
    for (const proxy of proxies) await proxy.stop();
    for (const service of services) await service.stop();
  });

  /** @returns its address for the browser. */
  async function proxyTo(service: TestService, block: string): Promise<string> {
    const proxy = await Nginx.start(block.replaceAll('http://127.0.0.1:3000', service.url));
    proxies.push(proxy);
    return `http://${HOST}:${proxy.port}`;
  }

  async function startService(environment: Record<string, string> = {}): Promise<TestService> {
    const service = await TestService.start({
      environment: { ALLOW_REGISTRATION: 'true', TRUST_PROXY: '1', ...environment },
    });
    services.push(service);
    await new SessionClient(service.url).register(EMAIL, PASSWORD);
    return service;
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const overview = (page: Page) => page.getByRole('heading', { name: 'Overview', level: 1 });

  it('signs in on any port with the configuration of the docs, and says so if the port is dropped', async () => {
    const service = await startService();
    const page = await browser.open(await proxyTo(service, ROOT_BLOCK));
    await signIn(page);
    await overview(page).waitFor();

    const dropping = await proxyTo(service, ROOT_BLOCK.replace('$http_host', '$host'));
    const failing = await browser.open(dropping);
    await signIn(failing);
    await failing.getByText('the proxy in front of the service changes the address').waitFor();
    const sessions = await service.collection('sessions').countDocuments();
    expect(sessions).toBe(2); // of the registration and of the first page
  });

  describe('below a path', () => {
    let service: TestService;
    let owner: TestClient;
    beforeAll(async () => {
      service = await startService({ BASE_PATH: '/sms', QUEUE_PAGE_PASSWORD: 'a password of the queues' });
      owner = await service.newAccount();
    });

    const STRIPPING = SUB_PATH_BLOCK.replace('127.0.0.1:3000;', '127.0.0.1:3000/;');

    it.each([
      ['as in the docs', SUB_PATH_BLOCK],
      ['that removes the path', STRIPPING],
    ])('works with a proxy %s', async (_, block) => {
      const origin = await proxyTo(service, block);
      const page = await browser.open(`${origin}/sms`);
      await page.waitForURL('**/sms/sign-in*');
      await signIn(page);
      await overview(page).waitFor();
      expect(await page.context().cookies()).toMatchObject([{ name: 'mgw_session', path: '/sms' }]);

      // Links, and an address that is opened anew.
      await page.getByRole('link', { name: 'Phones' }).first().click();
      await page.waitForURL(`${origin}/sms/phones`);
      const live = page.waitForRequest(`${origin}/sms/api/v1/events`);
      await page.goto(`${origin}/sms/messages?direction=received`);
      await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
      expect((await (await live).response())?.status()).toBe(200);
      expect(browser.errors.filter((text) => text.includes('Content Security Policy'))).toEqual([]);

      const docs = await browser.open(`${origin}/sms/docs`);
      await docs.getByText('Read the account totals').first().waitFor();
      expect(await docs.evaluate('ui.specSelectors.servers().toJS()[0].url')).toBe('/sms');
    });

    it('answers programs with and without the path', async () => {
      const { port } = proxies.at(-1) ?? {};
      const headers = { 'x-api-key': owner.apiKey };
      const statuses = [
        `http://127.0.0.1:${port}/sms/api/v1/gateway/stats`,
        `${service.url}/sms/api/v1/gateway/stats`,
        `${service.url}/api/v1/gateway/stats`,
        `${service.url}/sms/health/live`,
        `${service.url}/health/live`,
      ].map(async (url) => (await fetch(url, { headers })).status);
      expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200, 200]);
      expect((await fetch(`${service.url}/smsx/api/v1/gateway/stats`, { headers })).status).toBe(404);
    });

    it('sets a cookie over TLS for the path', async () => {
      const origin = `https://${HOST}`;
      const answer = await fetch(`${service.url}/sms/api/v1/auth/session`, {
        method: 'POST',
        headers: { origin, 'x-forwarded-host': HOST, 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
      });
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Secure-mgw_session=mgs_.*; Path=\/sms; .*; Secure$/,
      );
    });

    it('serves the page of the queues', async () => {
      const authorization = `Basic ${Buffer.from('me:a password of the queues').toString('base64')}`;
      const answer = await fetch(`${service.url}/sms/admin/queues`, { headers: { authorization } });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('/sms/admin/queues'),
      ]);
    });
  });
});
