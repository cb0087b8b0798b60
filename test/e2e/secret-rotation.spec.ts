import { randomBytes } from 'node:crypto';
import type { LoggerService } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { EncryptionKeyMissing } from '../../src/infrastructure/encryption/secret-cipher';
import { OutboxRelayService } from '../../src/webhooks/relay/outbox-relay.service';
import { SecretReencryptionService } from '../../src/webhooks/subscriptions/secret-reencryption.service';
import { WebhookSubscriptionsRepository } from '../../src/webhooks/subscriptions/webhook-subscriptions.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { newEncryptionKey } from '../support/test-store';
import { WebhookOwner } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const DAY_MS = 24 * 3_600_000;
const newSecret = () => randomBytes(20).toString('hex');

describe('re-encryption of signing secrets', () => {
  const oldKey = newEncryptionKey();
  const newKey = newEncryptionKey();
  let services: TestService[];
  let receiver: WebhookReceiver;
  let client: TestClient;
  let webhook: string;
  let first: string;

  /** Starts another process of the installation with its own encryption keys. */
  async function withKeys(...keys: string[]): Promise<TestService> {
    const environment = { ENCRYPTION_KEYS: keys.join(','), WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
    const service = await TestService.start({ environment, shared: services[0] });
    services.push(service);
    return service;
  }

  const change = (signingSecret: string) =>
    client.patch(`/webhooks/${webhook}`, { signingSecret }).expect(200);

  /** The secrets that a process signs with. */
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
    const request = { deliveryUrl: receiver.url, signingSecret: first, events: ['MESSAGE_SENT'] };
    const created = await client.post('/webhooks', request).expect(201);
    webhook = (created.body as { data: { _id: string } }).data._id;
  });
  afterEach(async () => {
    for (const service of services.reverse()) await service.stop();
    await receiver.stop();
  });

  it('continues until no secret needs the old key, even if an owner replaces a secret meanwhile', async () => {
    const second = newSecret();
    const both = await withKeys(newKey, oldKey);
    const repository = both.get(WebhookSubscriptionsRepository);
    const replaceSecrets = repository.replaceSecrets.bind(repository);
    jest.spyOn(repository, 'replaceSecrets').mockImplementationOnce(async (before, after) => {
      await client.at(both.url).patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
      return replaceSecrets(before, after);
    });
    expect(await both.get(SecretReencryptionService).rotate()).toBe(1);
    expect(await both.get(SecretReencryptionService).rotate()).toBe(0);
    expect(await signsWith(await withKeys(newKey), [first, second])).toEqual([true, true]);
  });

  it('skips expired secrets, whose key may be missing', async () => {
    const second = newSecret();
    const both = await withKeys(newKey, oldKey);
    await client.at(both.url).patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
    both.clock.advance(DAY_MS);
    const newest = newEncryptionKey();
    const without = await withKeys(newest, newKey);
    expect(await without.get(SecretReencryptionService).rotate()).toBe(1);
    both.clock.advance(-DAY_MS);
    expect(await signsWith(await withKeys(newest), [first, second])).toEqual([false, true]);
  });

  it('names the missing key and changes nothing', async () => {
    const without = await withKeys(newKey);
    await expect(without.get(SecretReencryptionService).rotate()).rejects.toThrow(EncryptionKeyMissing);
    await change(newSecret());
  });

  describe('a secret whose key is missing', () => {
    const unreadable = () => expect.objectContaining({ _id: webhook, signingSecret: '' }) as object;

    it('is returned empty beside readable ones and can be replaced', async () => {
      const without = await withKeys(newKey);
      const there = client.at(without.url);
      const request = { deliveryUrl: receiver.url, signingSecret: newSecret(), events: ['MESSAGE_SENT'] };
      await there.post('/webhooks', request).expect(201);
      const listed = await there.get('/webhooks');
      expect([listed.status, listed.body]).toEqual([
        200,
        { data: [unreadable(), expect.objectContaining({ signingSecret: request.signingSecret })] },
      ]);
      expect((await there.get(`/webhooks/${webhook}`)).body).toEqual({ data: unreadable() });
      const sample = await there.post(`/webhooks/${webhook}/test`);
      expect([sample.status, sample.body]).toEqual([
        400,
        expect.objectContaining({ code: 'WEBHOOK_SECRET_LOST' }),
      ]);
      const second = newSecret();
      await there.patch(`/webhooks/${webhook}`, { signingSecret: second }).expect(200);
      expect(await signsWith(without, [first, second])).toEqual([false, true]);
    });

    it('does not prevent other secrets from signing', async () => {
      const second = newSecret();
      await change(second);
      const without = await withKeys(newKey);
      const third = newSecret();
      await client.at(without.url).patch(`/webhooks/${webhook}`, { signingSecret: third }).expect(200);
      const fourth = newSecret();
      await client.at(without.url).patch(`/webhooks/${webhook}`, { signingSecret: fourth }).expect(200);
      expect(await signsWith(without, [first, second, third, fourth])).toEqual([false, false, true, true]);
    });

    it('leaves deliveries pending and unclaimed, and is logged once', async () => {
      const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
      const api = await TestService.start({
        environment: { ...environment, APP_ROLES: 'api', ENCRYPTION_KEYS: oldKey },
      });
      services.push(api);
      const startWorker = (keys: string, logger?: LoggerService) =>
        TestService.start({
          environment: { ...environment, APP_ROLES: 'worker', ENCRYPTION_KEYS: keys },
          shared: api,
          logger,
        });
      const owner = await WebhookOwner.create(api);
      const waiting = await owner.subscribe(receiver);
      for (let count = 0; count < 30; count += 1) await owner.receive(`Message ${count}`);
      const errors: string[] = [];
      const logger = {
        log: () => undefined,
        warn: () => undefined,
        error: (line: unknown) => errors.push(String(line)),
      };
      const without = await startWorker(newKey, logger);
      try {
        await without.get(OutboxRelayService).relay();
        await eventually(
          () => errors.length,
          (count) => count > 0,
        );
        await owner.enqueueJob(waiting);
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(errors).toEqual([expect.stringContaining('is not in ENCRYPTION_KEYS')]);
        const claimed = { claimedUntil: { $exists: true } };
        expect(await api.collection('webhookdeliveries').countDocuments()).toBe(30);
        expect(await api.collection('webhookdeliveries').countDocuments(claimed)).toBe(0);
      } finally {
        await without.stop();
      }
      const mended = await startWorker(`${newKey},${oldKey}`);
      services.push(mended);
      await owner.enqueueJob(waiting);
      await owner.waitForSubscription(waiting, (found) => found.successfulDeliveryCount === 30);
    });
  });
});
