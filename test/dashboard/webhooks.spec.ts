import type { Page } from 'playwright-core';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { isInstalled, runProgram } from '../support/program';
import { runVerifier, VERIFIERS, withTemporaryFolder } from '../support/verifiers';
import { WEBHOOK_SECRET } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const HOSTILE = `<script>document.title = "run"</script>\u202Eright to left${'W'.repeat(10_000)}`;

interface Webhook {
  readonly _id: string;
  readonly signingSecret: string;
  readonly events: readonly string[];
}

describe('the webhooks of the dashboard', () => {
  let dashboard: Dashboard;
  let receiver: WebhookReceiver;
  let owner: TestClient;
  let device: string;

  beforeAll(async () => {
    dashboard = await Dashboard.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    receiver.respond = respondWith(200, 'thanks');
    owner = await dashboard.service.newAccount('Ada');
    device = await owner.newDevice({ name: 'Front desk' });
  });
  afterAll(async () => {
    await receiver.stop();
    await dashboard.stop();
  });
  afterEach(() => {
    // Answers that refuse input are errors for the browser, but not for the page.
    const errors = dashboard.browser.errors.splice(0);
    expect(errors.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  const open = (path: string, options: Parameters<Dashboard['open']>[1] = {}) =>
    dashboard.open(path, { owner, ...options });
  const webhooks = async () => ((await owner.get('/webhooks')).body as { data: Webhook[] }).data;
  const subscribe = async (fields: object = {}): Promise<string> => {
    const body = { name: 'Orders', deliveryUrl: receiver.url, signingSecret: WEBHOOK_SECRET };
    const answer = await owner.post('/webhooks', { ...body, events: ['MESSAGE_RECEIVED'], ...fields });
    expect(answer.status).toBe(201);
    return (answer.body as { data: Webhook }).data._id;
  };
  const upload = (message: string) =>
    owner.post(`/gateway/devices/${device}/receive-sms`, { sender: '+447700900999', message }).expect(200);
  const received = (count: number) =>
    eventually(
      () => receiver.received,
      (all) => all.length >= count,
    );
  const settled = (state: string, count: number) =>
    eventually(
      async () => {
        const answer = await owner.get(`/webhooks/notifications?limit=100&status=${state}`);
        return (answer.body as { data: { meta: { total: number } } }).data.meta.total;
      },
      (total) => total === count,
    );
  const openMenu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'Actions for Orders' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('adds one, and its test event arrives, signed', async () => {
    const page = await open('/webhooks');
    await page.getByRole('heading', { name: 'Hear of every message' }).waitFor();
    await takePicture(page, 'webhooks-empty');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('URL').fill('http://10.0.0.1/hooks');
    await page.getByLabel('Name').fill('Orders');
    await page.getByLabel('Message sent').check();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Add the webhook' });
    await submit.click();
    await page.getByText('this is not a public address').waitFor();
    // The error would be out of sight, above the button.
    expect(await page.locator(':focus').getAttribute('type')).toBe('url');
    expect(await webhooks()).toEqual([]);
    await takePicture(page, 'webhooks-form');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel('URL').fill(receiver.url);
    await submit.click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    const [made] = await webhooks();
    expect(made?.events).toEqual(
      expect.arrayContaining(['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED']),
    );
    expect(made?.signingSecret).toMatch(/^whsec_/);

    await page.getByRole('button', { name: 'Send the test event' }).click();
    await page.getByText('Your endpoint accepted the event').waitFor();
    await page.getByRole('region', { name: 'Body of the answer' }).getByText('thanks').waitFor();
    const shown = await page.getByRole('region', { name: 'Body of the request' }).textContent();
    expect(JSON.parse(shown ?? '')).toEqual(receiver.received[0]?.event);
    expect(receiver.received[0]?.headers['x-webhook-test']).toBe('true');
    await takePicture(page, 'webhook-test');
    expect(await faultsOf(page)).toEqual([]);
    receiver.respond = respondWith(500, HOSTILE);
    await page.getByRole('button', { name: 'Send the test event' }).click();
    await page.getByText('Your endpoint did not accept the event').waitFor();
    await page.getByText('<script>document.title').waitFor();
    expect(await page.title()).not.toBe('run');
    expect(await faultsOf(page)).toEqual([]);
  });

  it('shows why one fails, and is green after a redelivery', async () => {
    const id = await subscribe();
    await upload('first');
    await settled('delivered', 1);
    receiver.respond = respondWith(401, HOSTILE);
    await upload('second');
    await settled('failed', 1);
    const list = await open('/webhooks');
    await list.getByText('Failing', { exact: true }).waitFor();
    await list.getByText('The last attempt was not accepted').waitFor();
    await list.getByRole('img', { name: '1 of the last 2 deliveries were accepted' }).waitFor();
    await list.getByRole('link', { name: 'Orders' }).click();
    const page = list;
    await page.getByText('Fix the endpoint, then redeliver').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Failed' })
      .getByRole('button', { name: /^Open the delivery: Message received/ })
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Your endpoint refused the sender', { exact: false }).waitFor();
    await drawer.getByText('<script>document.title').waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^[0-9a-f]{24}$/);
    await takePicture(page, 'webhook-delivery');
    expect(await faultsOf(page)).toEqual([]);
    await page.reload();
    receiver.respond = respondWith(200);
    await drawer.getByRole('button', { name: 'Redeliver now' }).click();
    await drawer.getByRole('status').getByText('Accepted').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await page.getByText('Working', { exact: true }).waitFor();
    expect(await page.getByText('Fix the endpoint, then redeliver').count()).toBe(0);
    expect(receiver.received.map(({ event }) => event.message)).toEqual(['first', 'second', 'second']);
    const answer = await owner.get(`/webhooks/${id}`);
    expect(answer.body).toMatchObject({ data: { isActive: true } });
  });

  it('filters deliveries in the address, and replays those of a time', async () => {
    const id = await subscribe({ events: ['MESSAGE_RECEIVED', 'DEVICE_OFFLINE'] });
    await upload('accepted');
    await settled('delivered', 1);
    receiver.respond = respondWith(422, 'not now');
    await upload('one');
    await upload('two');
    await settled('failed', 2);
    const page = await open(`/webhooks/${id}?status=failed`);
    await page.getByRole('status').getByText('2 deliveries').waitFor();
    await page.getByLabel('From day').fill('2020-01-01');
    await page.getByLabel('To day').fill('2020-01-02');
    await page.getByText('No delivery matches these filters.').waitFor();
    expect(new URL(page.url()).search).toContain('from=2020-01-01');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('status').getByText('3 deliveries').waitFor();

    receiver.respond = respondWith(200);
    await openMenu(page, 'Replay deliveries');
    await page.getByText('2 deliveries will be sent again.').waitFor();
    await takePicture(page, 'webhook-replay');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('2 deliveries are sent again.').waitFor();
    const messages = (await received(5)).map(({ event }) => String(event.message));
    expect(messages.toSorted()).toEqual(['accepted', 'one', 'one', 'two', 'two']);
    await settled('delivered', 3);
  });

  it('changes the secret, and the old one still signs', async () => {
    const id = await subscribe();
    const page = await open(`/webhooks/${id}`);
    await openMenu(page, 'Change the secret');
    await page.getByRole('dialog').getByText('for 24 hours', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Change the secret' }).click();
    await page.getByText('The old one stays valid in webhook-signature until').waitFor();
    const [changed] = await webhooks();
    expect(changed?.signingSecret).toMatch(/^whsec_/);
    await upload('signed twice');
    const [delivery] = await received(1);
    expect(String(delivery?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('says when the service has paused one, and resumes, pauses and deletes it', async () => {
    receiver.respond = respondWith(410, 'gone');
    const id = await subscribe();
    await upload('the last');
    await settled('failed', 1);
    const page = await open(`/webhooks/${id}`);
    await page.getByText('Paused by the service', { exact: true }).waitFor();
    await page.getByText('the endpoint answered 410 Gone').waitFor();
    await takePicture(page, 'webhook-paused');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Orders is active again.').waitFor();
    await openMenu(page, 'Pause');
    await page.getByText('You have paused this webhook').waitFor();
    await page
      .getByRole('alert')
      .filter({ hasText: 'is paused' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await page.getByText('You have paused this webhook').waitFor({ state: 'hidden' });
    await openMenu(page, 'Delete');
    const remove = page.getByRole('button', { name: 'Delete the webhook' });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel('Type Orders to confirm').fill('Orders');
    await remove.click();
    await page.getByRole('heading', { name: 'Hear of every message' }).waitFor();
    expect(await webhooks()).toEqual([]);
    await page.goto(`${dashboard.service.url}/webhooks/${id}`);
    await page.getByText('This webhook does not exist').waitFor();
  });

  it('shows code that accepts its signatures, in each language', async () => {
    const id = await subscribe();
    await upload('Grüße 日本');
    const [delivery] = await received(1);
    const { body = '', headers } = delivery ?? {};
    const signature = String(headers?.['x-signature']);
    const page = await open(`/webhooks/${id}?tab=verify`);
    const codeIn = async (language: string) => {
      await page.getByRole('tab', { name: language }).click();
      return (await page.getByRole('region', { name: language }).textContent()) ?? '';
    };
    for (const verifier of VERIFIERS.filter(({ language }) => language !== 'Go')) {
      const { language, program, versionArgument, minimumVersion } = verifier;
      const code = await codeIn(language);
      expect(code.split('\n').length).toBeGreaterThan(10);
      if (!isInstalled(program, versionArgument, minimumVersion)) continue;
      const signed = { body: Buffer.from(body).toString('base64'), signature };
      const cases = [WEBHOOK_SECRET, 'another secret of many characters'].map((secret) => ({
        ...signed,
        secret,
      }));
      expect([language, await runVerifier(verifier, code, cases)]).toEqual([language, [true, false]]);
    }
    const shell = await codeIn('OpenSSL');
    await withTemporaryFolder({ 'verify.sh': shell, body }, async (directory) => {
      for (const [secret, verdict] of [
        [WEBHOOK_SECRET, 'genuine'],
        ['another secret of many characters', 'forged'],
      ] as const) {
        const { output } = await runProgram('sh', ['verify.sh', 'body', signature, secret], { directory });
        expect(output.trim()).toBe(verdict);
      }
    });
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const long = `${receiver.url}/${'path'.repeat(300)}`;
    await subscribe({ name: '<b>W</b>'.repeat(8), deliveryUrl: long, events: ['MESSAGE_SENT'] });
    const id = await subscribe({ events: ['MESSAGE_RECEIVED', 'MESSAGE_FAILED'] });
    await subscribe({ name: 'Paused', isActive: false });
    for (let index = 0; index < 30; index += 1) {
      receiver.respond = index % 7 === 3 ? respondWith(422, HOSTILE) : respondWith(200, 'ok');
      await upload(`${index} ${HOSTILE}`.slice(0, 9_000));
      await received(index + 1);
    }
    await settled('delivered', 26);
    const page = await open('/webhooks');
    await page.getByRole('img', { name: /of the last 20 deliveries/ }).waitFor();
    expect(await faultsInAllViews(page, 'webhooks')).toEqual([]);
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('status').getByText('30 deliveries').waitFor();
    expect(await faultsInAllViews(page, 'webhook')).toEqual([]);
    for (const tab of ['Test', 'Check signatures', 'Settings']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first().waitFor();
      expect(await faultsInAllViews(page, `webhook-${tab.split(' ')[0] ?? ''}`)).toEqual([]);
    }
    await page.goto(`${dashboard.service.url}/webhooks/${id}?status=failed`);
    await page
      .getByRole('button', { name: /^Open the delivery/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('What to do').waitFor();
    expect(await faultsInAllViews(page, 'webhook-drawer')).toEqual([]);
    await page.context().close();
  });
});
