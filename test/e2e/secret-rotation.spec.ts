import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { EncryptionKeyMissing } from '../../src/common/secret-box';
import { SecretRotationService } from '../../src/webhooks/secret-rotation.service';
import { SubscriptionsRepository } from '../../src/webhooks/subscriptions.repository';
import { TestClient } from '../support/client';
import { newEncryptionKey, TestService } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const DAY_MS = 24 * 3_600_000;
const newSecret = () => randomBytes(20).toString('hex');

describe('encrypting signing secrets anew', () => {
  const oldKey = newEncryptionKey();
  const newKey = newEncryptionKey();
  let services: TestService[];
  let receiver: WebhookReceiver;
  let client: TestClient;
  let webhook: string;
  let first: string;

  /** One more process of the installation, with keys of its own. */
  async function withKeys(...keys: string[]): Promise<TestService> {
    const environment = { ENCRYPTION_KEYS: keys.join(','), WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
    const service = await TestService.start({ environment, shared: services[0] });
    services.push(service);
    return service;
  }

  const change = (signingSecret: string) =>
    client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);

  /** Which of the secrets a process signs with. */
  async function signsWith(service: TestService, secrets: string[]): Promise<boolean[]> {
    await client.at(service.url).post(`/webhooks/${webhook}/test`).expect(200);
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' };
    return secrets.map((secret) => {
      try {
        new Webhook(Buffer.from(secret), { format: 'raw' }).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    });
  }

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    services = [];
    client = await (await withKeys(oldKey)).newAccount();
    first = newSecret();
    const asked = { deliveryUrl: receiver.url, signingSecret: first, events: ['MESSAGE_SENT'] };
    const created = await client.post('/webhooks', asked).expect(201);
    webhook = (created.body as { data: { _id: string } }).data._id;
  });
  afterEach(async () => {
    for (const service of services.reverse()) await service.stop();
    await receiver.stop();
  });

  it('goes on until nothing needs the old key, also when an owner replaces a secret meanwhile', async () => {
    const second = newSecret();
    const both = await withKeys(newKey, oldKey);
    const repository = both.get(SubscriptionsRepository);
    const replaceSecrets = repository.replaceSecrets.bind(repository);
    jest.spyOn(repository, 'replaceSecrets').mockImplementationOnce(async (before, after) => {
      await client.at(both.url).patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
      return replaceSecrets(before, after);
    });
    expect(await both.get(SecretRotationService).rotate()).toBe(1);
    expect(await both.get(SecretRotationService).rotate()).toBe(0);
    expect(await signsWith(await withKeys(newKey), [first, second])).toEqual([true, true]);
  });

  it('leaves alone what signs no more, whose key may be gone', async () => {
    const second = newSecret();
    const both = await withKeys(newKey, oldKey);
    await client.at(both.url).patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
    both.clock.advance(DAY_MS);
    const newest = newEncryptionKey();
    const without = await withKeys(newest, newKey);
    expect(await without.get(SecretRotationService).rotate()).toBe(1);
    both.clock.advance(-DAY_MS);
    expect(await signsWith(await withKeys(newest), [first, second])).toEqual([false, true]);
  });

  it('says which key is missing, and changes nothing', async () => {
    const without = await withKeys(newKey);
    await expect(without.get(SecretRotationService).rotate()).rejects.toThrow(EncryptionKeyMissing);
    await change(newSecret());
  });

  it('a secret whose key is lost can be replaced', async () => {
    const without = await withKeys(newKey);
    const there = client.at(without.url);
    expect((await there.get(`/webhooks/${webhook}`)).status).toBe(500);
    const second = newSecret();
    await there.patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
    expect(await signsWith(without, [first, second])).toEqual([false, true]);
  });
});
