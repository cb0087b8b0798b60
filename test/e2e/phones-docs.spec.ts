import { createPairingCode } from '../../tools/phone-usb/pairing-code';
import { runAdminHere } from '../support/admin';
import type { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { runProgram } from '../support/program';
import { TestService } from '../support/service';

const page = MarkdownPage.read('use/phones.md');

/** What the app puts into the template. */
const TEXT: Readonly<Record<string, string>> = {
  from: '+447700900123',
  text: String.raw`\"Yes\"\nthank you`,
  sentStamp: String(Date.now() - 60_000),
};

describe('docs/use/phones.md', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  it('has commands and a template with which an app forwards what it receives', async () => {
    const person = await service.signIn(client);
    const created = await person.post('/auth/api-keys', { kind: 'phone', name: 'Forwarder' });
    const phoneKey = (created.body as { data: string }).data;
    const [script = ''] = page.codeBlocks('bash').filter((block) => block.includes('PHONE_KEY'));
    const [template = ''] = page.codeBlocks('json');
    const commands = script
      .replace(/^export GATEWAY=.*$/m, `export GATEWAY=${service.url}/api/v1`)
      .replace(/\$\(npm run --silent admin .*\)$/m, phoneKey)
      .replace('$(cat ~/.cache/messaging-gateway/api-key)', client.apiKey);
    expect(commands).not.toMatch(/npm|~/);

    const { code, output, error } = await runProgram('bash', ['-ec', commands]);
    expect([code, error]).toEqual([0, '']);
    const [url = '', key = ''] = output.trim().split('\n').at(-1)?.split(' ') ?? [];
    expect(key).toBe(phoneKey);
    const body = template.replace(/%(\w+)%/g, (_all, name: string) => TEXT[name] ?? 'unknown');
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const post = async () => (await fetch(url, { method: 'POST', headers, body })).status;
    expect([await post(), await post()]).toEqual([200, 200]);
    const list = await client.get('/gateway/messages?direction=received');
    expect((list.body as { data: unknown[] }).data).toEqual([
      expect.objectContaining({
        sender: '+447700900123',
        message: '"Yes"\nthank you',
        receivedAt: new Date(Number(TEXT.sentStamp)).toISOString(),
      }),
    ]);
    // Nothing is sent by such a phone.
    const send = await client.post('/gateway/send-sms', { message: 'Hello', recipients: ['+447700900123'] });
    expect(send.status).toBe(400);
  });

  it('has a command that gets a code of the running service', async () => {
    const environment = { ...service.environment, BASE_PATH: '/base' };
    const admin =
      (more: object = {}) =>
      async (args: readonly string[]) => {
        const { code, output } = await runAdminHere({ ...environment, ...more }, args);
        return code === 0 ? output : undefined;
      };
    const { url } = service;
    const { apiKey } = client;
    const code = await createPairingCode({ url, apiKey }, admin());
    expect(code).toEqual({
      digits: expect.stringMatching(/^\d{4} \d{3} \d{3}$/) as string,
      path: '/base/sms',
    });
    const redeemed = await client.post('/auth/pairing-codes/redemptions', { code: code?.digits });
    expect(redeemed.status).toBe(201);

    await expect(createPairingCode({ url, apiKey }, admin({ SMSGATE_PATH: 'off' }))).rejects.toThrow(
      /remove SMSGATE_PATH=off from \.env/,
    );
    const none = () => Promise.resolve(undefined);
    expect(await createPairingCode({ url, apiKey }, none)).toBeUndefined();
    expect(await createPairingCode({ url, apiKey: undefined }, admin())).toBeUndefined();
    expect(await createPairingCode({ url, apiKey: 'mgw_wrong' }, admin())).toBeUndefined();
  });
});
