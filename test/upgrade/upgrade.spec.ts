import { createHmac } from 'node:crypto';
import { mongo, Types } from 'mongoose';
import request from 'supertest';
import { MigrationsService } from '../../src/migrations/migrations.service';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { TestClock } from '../support/test-clock';
import { newStore } from '../support/test-store';
import { RawStream } from '../support/raw-stream';
import { SessionClient } from '../support/session-client';
import { WebhookReceiver } from '../support/webhook-receiver';
import { readSnapshots, restoreCollections, type Snapshot } from './snapshot';

const TWO_DAYS_MS = 2 * 24 * 3_600_000;

/** The last use of a key changes with every request. */
const CHANGES_WITH_USE = ['lastUsedAt', 'lastUsedFrom'];

function withoutUse(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (CHANGES_WITH_USE.includes(name) ? undefined : each)),
  );
}

describe.each(readSnapshots().map((snapshot) => [snapshot.version, snapshot] as const))(
  'an upgrade from %s',
  (_version, snapshot: Snapshot) => {
    const { installation } = snapshot;
    const clock = new TestClock();
    const store = newStore();
    let service: TestService;
    let client: TestClient;
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      const mongodb = await mongo.MongoClient.connect(store.environment.MONGODB_URI ?? '');
      await restoreCollections(mongodb.db(store.environment.MONGODB_DATABASE), snapshot);
      await mongodb.close();
      // Simulates an upgrade right after the recording.
      clock.advance(snapshot.recordedAt.getTime() - Date.now());
      receiver = await WebhookReceiver.start();
      const environment = { ...snapshot.environment, WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' };
      service = await TestService.start({ store, clock, environment });
      client = new TestClient(service.url, installation.apiKey, new Types.ObjectId());
      await eventually(
        () => service.get(MigrationsService).listPending(),
        (pending) => pending.length === 0,
        30_000,
      );
    });
    afterAll(async () => {
      await service.stop();
      await receiver.stop();
    });

    it.each(Object.entries(snapshot.answers))('returns the same response to %s', async (path, before) => {
      const answer = await client.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      // A new version may add fields.
      expect(withoutUse(answer.body)).toMatchObject(withoutUse(before) as object);
    });

    it('accepts passwords and keys, and refuses the revoked key', async () => {
      const visitor = await new SessionClient(service.url).logIn(installation.email, installation.password);
      expect(visitor.session.user).toMatchObject({ email: installation.email });
      const revoked = new TestClient(service.url, installation.revokedApiKey, new Types.ObjectId());
      expect((await revoked.get('/gateway/stats')).status).toBe(401);
    });

    it('repeats a send by its idempotency key and deduplicates uploads', async () => {
      const replayed = await client
        .post('/gateway/send-sms', { message: 'Once', recipients: ['+447700900110'] })
        .set('idempotency-key', installation.idempotencyKey);
      expect(replayed.body).toMatchObject({ data: { smsBatchId: installation.idempotentBatch } });
      const received = () => client.get('/gateway/messages?direction=received');
      const before = (await received()).body as { data: object[] };
      const again = await client.post(
        `/gateway/devices/${installation.device}/receive-sms`,
        installation.incoming,
      );
      expect(again.status).toBe(200);
      expect(((await received()).body as { data: object[] }).data).toHaveLength(before.data.length);
    });

    it('accepts the report of a message dispatched before, and posts its event with the same secret', async () => {
      const { device, dispatchedMessage, webhook } = installation;
      const changed = await client.patch(`/webhooks/${webhook}`, { deliveryUrl: receiver.url });
      expect(changed.status).toBe(200);
      await client.report(device, dispatchedMessage, 'SENT', { sentAtInMillis: clock.now().getTime() });
      const [posted] = await eventually(
        () => receiver.received,
        ({ length }) => length > 0,
        30_000,
      );
      const { data } = snapshot.answers[`/webhooks/${webhook}`] as { data: { signingSecret: string } };
      const hmac = createHmac('sha256', data.signingSecret).update(posted?.body ?? '');
      expect(posted?.headers['x-signature']).toBe(hmac.digest('hex'));
      expect(posted?.event).toMatchObject({ webhookEvent: 'MESSAGE_SENT', smsId: dispatchedMessage });
      expect((await client.message(device, dispatchedMessage)).status).toBe('sent');
    });

    it('sends a message scheduled before', async () => {
      clock.advance(TWO_DAYS_MS);
      const stream = await RawStream.open(client, installation.device);
      const { messages } = await eventually(
        () => client.batch(installation.device, installation.scheduledBatch),
        (batch) => batch.messages.every(({ status }) => status === 'dispatched'),
        30_000,
      );
      expect(messages).toHaveLength(2);
      stream.close();
    });

    it('finds messages stored before by the number of the other party', async () => {
      for (const query of [
        'recipient=447700900101',
        'recipient=%2B44 (0)7700 900101',
        'sender=447700900200',
      ]) {
        const answer = await client.get(`/gateway/messages?${query}`);
        expect([query, answer.body]).toMatchObject([query, { data: [{}], meta: { total: 1 } }]);
      }
      expect(await service.collection('messages').countDocuments({ peerNumber: null })).toBe(0);
    });

    it('is ready', async () => {
      const health = await request(service.url).get('/health/ready');
      expect(health.body).toMatchObject({ status: 'ok' });
    });
  },
);
