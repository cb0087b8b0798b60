import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import type { Page } from 'playwright-core';
import { Dashboard, faultsInAllViews, faultsOf, takePicture } from './dashboard';

const MINUTE_MS = 60_000;
const NUMBERS = ['+447700900123', '+447700900124', '+447700900125'];
const HOSTILE = `<script>window.broken = 1</script>\u202Ereversed\u202C ${'x'.repeat(300)}`;

describe('the page Send', () => {
  let dashboard: Dashboard;
  let phone: VirtualPhone;
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    const { url } = dashboard.service;
    phone = new VirtualPhone({
      baseUrl: url,
      apiKey: dashboard.owner.apiKey,
      name: 'Front desk',
      seed: 1,
      sendDelaySeconds: 0,
      sims: numberedSims(2, 'send'),
    });
    await phone.start();
  });
  afterAll(async () => {
    await phone.stop();
    await dashboard.stop();
  });

  const fill = async (page: Page, numbers: string[], text: string) => {
    await page.getByRole('combobox', { name: 'To', exact: true }).fill(numbers.join(','));
    await page.getByRole('combobox', { name: 'To', exact: true }).blur();
    await page.getByLabel('Text', { exact: true }).fill(text);
  };
  const submit = (page: Page) => page.locator('form button[type=submit]');
  const sentTo = async (number: string) =>
    (
      (await dashboard.owner.get(`/gateway/messages?recipient=${encodeURIComponent(number)}`)).body as {
        meta: { total: number };
      }
    ).meta.total;

  it('sends to three numbers, and follows each', async () => {
    const page = await dashboard.open('/send');
    await page.getByText('This is a virtual phone, for trying things out').waitFor();
    await fill(page, NUMBERS, 'Your table is ready.');
    await page.getByText('3 SMS parts').waitFor();
    await page.getByText('1 SMS part').waitFor();
    await submit(page).click();
    await page.getByRole('heading', { name: '3 messages delivered' }).waitFor();
    for (const number of NUMBERS) {
      const line = page.getByRole('listitem').filter({ hasText: number });
      await line.getByText('Delivered', { exact: true }).waitFor();
      await line.getByText(/accepted .* → handed over .* → sent .* → delivered/).waitFor();
    }
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'sent');
    await page.getByRole('link', { name: 'Send another' }).click();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
  });

  it('marks an unreadable number at once, and says that a plain send fills in no fields, in German', async () => {
    const page = await dashboard.open('/send', { locale: 'de-DE' });
    const to = page.getByRole('combobox', { name: 'An', exact: true });
    await to.fill('+447700900131,447700900123.0');
    await to.blur();
    await page.getByText('Nr. 2: "447700900123.0" ist eine Dezimalzahl').waitFor();
    expect(await to.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Text', { exact: true }).fill('Guten Tag {{name}}');
    await page.getByText('{{name}} wird gesendet, wie es da steht').waitFor();
    expect(await page.getByRole('link', { name: 'Kampagne', exact: true }).getAttribute('href')).toBe(
      '/campaigns/new',
    );
    expect(await faultsInAllViews(page, 'send-warnings-german')).toEqual([]);
    await page.getByRole('button', { name: 'Diese Nummer entfernen' }).click();
    await submit(page).click();
    await page.getByRole('heading', { name: /^1 Nachricht (angenommen|zugestellt|gesendet)$/ }).waitFor();
  });

  it('names each bad number, which one click removes', async () => {
    const page = await dashboard.open('/send');
    await fill(page, ['+447700900130', 'abc', '12'], 'Hello');
    await page.getByText('A number without + and country code is dialled').waitFor();
    await page.getByText('No. 2: "abc" is not a phone number').waitFor();
    await page.getByText('No. 3: "12" is not a phone number').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, 'send-refused');
    await page.getByRole('button', { name: 'Remove these 2 numbers' }).click();
    await page.getByText('No. 2:').waitFor({ state: 'detached' });
    await submit(page).click();
    await page.getByRole('heading', { name: /^1 message (accepted|delivered)$/ }).waitFor();
  });

  it('says which character shortens the parts, and replaces it', async () => {
    const page = await dashboard.open('/send?text=It%E2%80%99s%20ready');
    await page.getByText('With this special character').waitFor();
    expect(await page.locator('code').allTextContents()).toEqual(['’']);
    await page.getByRole('button', { name: 'Use plain characters instead' }).click();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe("It's ready");
    await page.getByText('1 SMS part').waitFor();
    await page.getByLabel('Text', { exact: true }).fill('Ready 👍');
    await page.getByText('8 of 70 characters').waitFor();
    await page.getByRole('button', { name: 'Use plain characters instead' }).waitFor({ state: 'detached' });
  });

  it('sends once, whatever is clicked, also if the answer is lost', async () => {
    const number = '+447700900140';
    const page = await dashboard.open(`/send?to=${encodeURIComponent(number)}&text=Once`);
    // The service accepts the first attempt, and its answer does not arrive.
    let attempts = 0;
    await page.route('**/gateway/send-sms', async (route) => {
      if (attempts++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await submit(page).dblclick();
    await page.getByText('The service cannot be reached').waitFor();
    await submit(page).click();
    await page.getByRole('heading', { name: /^1 message (accepted|delivered)$/ }).waitFor();
    expect(await sentTo(number)).toBe(1);
  });

  it('says that there is no connection, and sends nothing later', async () => {
    const number = '+447700900141';
    const page = await dashboard.open(`/send?to=${encodeURIComponent(number)}&text=Offline`);
    const estimate = page.getByRole('paragraph').filter({ hasText: '1 SMS part' });
    await estimate.waitFor();
    await page.context().setOffline(true);
    await submit(page).click();
    await page.getByText('The service cannot be reached').first().waitFor();
    await page.context().setOffline(false);
    await estimate.waitFor();
    expect(await sentTo(number)).toBe(0);
    await submit(page).click();
    await page.getByRole('heading', { name: /^1 message (accepted|sent|delivered)$/ }).waitFor();
    expect(await sentTo(number)).toBe(1);
  });

  it('asks before it sends to many', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `+4477009010${index + 10}`);
    const page = await dashboard.open(`/send?to=${encodeURIComponent(many.join(','))}&text=Many`);
    await submit(page).click();
    const question = page.getByRole('dialog', { name: 'Send to 10 people?' });
    await question.getByText('It counts as 10 messages of your plan.').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await sentTo(many[0] ?? '')).toBe(0);
    await submit(page).click();
    expect(await faultsInAllViews(page, 'send-confirm')).toEqual([]);
    await question.getByRole('button', { name: 'Send 10 messages' }).click();
    await page.getByRole('heading', { name: /^10 messages / }).waitFor();
  });

  it('goes out at the time of a zone', async () => {
    const page = await dashboard.open(`/send?to=${encodeURIComponent('+447700900150')}&text=Later`, {
      timezoneId: 'Asia/Kolkata',
    });
    await page.getByText('Later', { exact: true }).last().click();
    const tomorrow = new Date(dashboard.service.clock.now().getTime() + 86_400_000)
      .toISOString()
      .slice(0, 10);
    await page.getByLabel('Date and time').fill(`${tomorrow}T09:30`);
    await page.getByText(/at 0?9:30.*\(Asia\/(Kolkata|Calcutta)\), which is 0?4:00.* UTC\./).waitFor();
    await takePicture(page, 'send-later');
    await page.getByRole('button', { name: 'Schedule 1 message' }).click();
    await page.getByText(/^Due at /).waitFor();
    await page.getByRole('button', { name: 'Cancel what waits' }).click();
    await page.getByText('1 message was cancelled.').waitFor();
    await page.getByRole('listitem').getByText('Cancelled', { exact: true }).waitFor();
  });

  it('offers the phone and its SIMs, with their health', async () => {
    const page = await dashboard.open('/send');
    await page.getByLabel('From', { exact: true }).first().click();
    const options = await page.getByRole('option').allTextContents();
    expect(options.filter((text) => text.includes('Front desk')).length).toBe(4);
    await page
      .getByRole('option', { name: /in Front desk/ })
      .last()
      .click();
    const number = '+447700900160';
    await fill(page, [number], 'By the second SIM');
    await submit(page).click();
    await page.getByRole('listitem').getByText('Delivered', { exact: true }).waitFor();
    const record = phone.airLog.at(-1);
    expect(record?.simSubscriptionId).toBe(2);
  });

  it('is accessible, wide and narrow, in both themes', async () => {
    const to = encodeURIComponent([...NUMBERS, HOSTILE.slice(0, 200)].join('\n'));
    const page = await dashboard.open(`/send?to=${to}&text=${encodeURIComponent(HOSTILE)}`);
    await page.getByText('No. 4:').waitFor();
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Keep quiet hours').click();
    await page.getByText('Not sent at night').waitFor();
    expect(await faultsInAllViews(page, 'send')).toEqual([]);
    const plain = await dashboard.open(
      `/send?to=${encodeURIComponent(NUMBERS.join(','))}&text=${encodeURIComponent('Your table is ready.')}`,
    );
    await plain.getByText('3 SMS parts').waitFor();
    expect(await faultsInAllViews(plain, 'send-plain')).toEqual([]);
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  it('leads to the phones where there are none', async () => {
    const page = await dashboard.open('/send', { owner: await dashboard.service.newAccount('Nobody') });
    await page.getByRole('link', { name: 'Pair a phone' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  // Last, because it moves the clock.
  it('tells that the phone does not answer', async () => {
    const owner = await dashboard.service.newAccount('Silent');
    await owner.newDevice({ name: 'Silent phone' });
    const page = await dashboard.open(`/send?to=${encodeURIComponent(NUMBERS[0] ?? '')}&text=Hello`, {
      owner,
    });
    await submit(page).click();
    await page.getByRole('heading', { name: /^1 message (accepted|delivered)$/ }).waitFor();
    await page.getByText('has not confirmed yet that it has it').waitFor();
    dashboard.service.clock.advance(2 * MINUTE_MS);
    await page
      .getByRole('listitem')
      .getByText(/Silent phone has (been offline|not answered) for/)
      .waitFor();
    await takePicture(page, 'sent-silent');
    expect(await faultsOf(page)).toEqual([]);
  });

  it('had no errors', () => {
    // Refused and lost requests are errors for the browser, but not for the page.
    const errors = dashboard.browser.errors.filter((text) => !text.startsWith('Failed to load resource'));
    expect(errors).toEqual([]);
  });
});
