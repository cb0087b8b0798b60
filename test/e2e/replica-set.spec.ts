import { TemporaryReplicaSet } from 'messaging-gateway-local-stack/replica-set';
import request from 'supertest';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const DAY_MS = 24 * 60 * 60_000;
const KEYS = ['a', 'b', 'c', 'd', 'e'] as const;

describe('on a replica set', () => {
  let set: TemporaryReplicaSet;
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    set = await TemporaryReplicaSet.start(process.env.MONGODB_URI ?? '');
    service = await TestService.start({ environment: { MONGODB_URI: set.uri, APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await service.stop();
    await set.stop();
  });

  const recipientOf = (key: string) => `+49151234567${key.charCodeAt(0)}`;
  const send = (key: string) =>
    client
      .post('/gateway/send-sms', { recipients: [recipientOf(key)], message: 'Once' })
      .set('Idempotency-Key', key);
  const upload = (key: string) =>
    client.post(`/gateway/devices/${device}/receive-sms`, {
      sender: recipientOf(key),
      message: 'Once',
      receivedAtInMillis: Date.now() - DAY_MS / 1_000,
    });
  const stored = () => service.collection('messages').countDocuments({ user: client.user });

  it('accepts sends and texts during an election, each once', async () => {
    const [sends, uploads] = await Promise.all([
      Promise.all(KEYS.map(send)),
      Promise.all(KEYS.map(upload)),
      set.stepDown(1_000),
    ]);
    expect([...sends, ...uploads].map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await stored()).toBe(10);
  });

  it('does each once although its answers are lost while another member becomes the primary', async () => {
    const cut = set.cutAfterWrites(3);
    await Promise.all([Promise.all(KEYS.map(send)), cut.then(() => set.stepDown(500))]);
    // The sender repeats what was answered with 503.
    const repeated = await Promise.all(KEYS.map(send));
    expect(repeated.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(await stored()).toBe(5);
  });

  it('answers with 503 what the majority has not confirmed, and says so in its readiness', async () => {
    const ready = () => request(service.url).get('/health/ready');
    set.loseMajority(new Date(Date.now() - 11_000));
    expect(await send('a')).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    await eventually(
      async () => JSON.stringify((await ready()).body),
      (body) => body.includes('writes are not confirmed by a majority'),
    );
    set.regainMajority();
    await eventually(ready, ({ status }) => status === 200);
    expect((await send('a')).status).toBe(200);
    expect(await stored()).toBe(1);
  });
});
