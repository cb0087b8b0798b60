import request from 'supertest';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';
import { NOBODY } from './contract-client';
import { fieldsAtFault, type RefusalJson, type SubscriptionJson, WebhookOwner } from './webhook-owner';

const SECRET = 'exactly 20 characte!';
const GOOD = {
  deliveryUrl: 'https://hooks.example.com/sms',
  signingSecret: SECRET,
  events: ['MESSAGE_SENT'],
};
const EVENTS = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'UNKNOWN_STATE',
  'MESSAGE_UNCONFIRMED',
  'DEVICE_OFFLINE',
  'DEVICE_ONLINE',
  'SIM_UNHEALTHY',
  'SIM_LIMIT_REACHED',
  'SMS_STATUS_UPDATED',
];

describe('webhook subscriptions', () => {
  let service: TestService;
  let client: TestClient;
  let owner: WebhookOwner;

  beforeAll(async () => {
    service = await TestService.start();
    const publicAddress = [{ address: '93.184.216.34', family: 4 }];
    jest.spyOn(service.get(DnsLookup), 'lookup').mockResolvedValue(publicAddress);
  });
  beforeEach(async () => {
    client = await service.newAccount();
    owner = new WebhookOwner(client, GOOD);
  });
  afterAll(() => service.stop());

  it('accept a name of up to 64 characters', async () => {
    for (const name of ['x', '', 'x'.repeat(64), '📨'.repeat(64)]) await owner.expectAccepted({ name });
    for (const name of ['x'.repeat(65), '📨'.repeat(65), 5, {}]) await owner.expectRefused({ name }, 'name');
    expect(await owner.create()).not.toHaveProperty('name');
  });

  it('require a secret of at least 20 characters', async () => {
    for (const signingSecret of [SECRET, 'ü'.repeat(20), '📨'.repeat(20), 'x'.repeat(512)])
      await owner.expectAccepted({ signingSecret });
    for (const signingSecret of ['', 'x'.repeat(19), '📨'.repeat(19), 12_345_678_901_234_567_890, [SECRET]])
      await owner.expectRefused({ signingSecret }, 'signingSecret');
  });

  it('require at least one event and reject unknown ones', async () => {
    for (const event of EVENTS) await owner.expectAccepted({ events: [event] });
    await owner.expectAccepted({ events: EVENTS });
    const { events } = await owner.create({ events: ['MESSAGE_SENT', 'MESSAGE_SENT', 'MESSAGE_FAILED'] });
    expect(events).toEqual(['MESSAGE_SENT', 'MESSAGE_FAILED']);
    const lists = [[], ['MESSAGE_READ'], [...EVENTS, 'message_sent'], [null], [['MESSAGE_SENT']]];
    for (const bad of [...lists, 'MESSAGE_SENT', {}]) await owner.expectRefused({ events: bad }, 'events');
  });

  it('reject a missing required field', async () => {
    const required = ['deliveryUrl', 'signingSecret', 'events'];
    for (const field of required) {
      for (const value of [undefined, null]) {
        const answer = await owner.post({ [field]: value });
        expect([answer.status, fieldsAtFault(answer.body)]).toEqual([400, [field]]);
      }
    }
    expect(fieldsAtFault((await client.post('/webhooks', {})).body)).toEqual(required);
    expect(await owner.list()).toEqual([]);
  });

  it('are limited to 10 per account, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => owner.post()));
    const outcomes = answers.map(
      ({ status, body }) => `${status} ${(body as Partial<RefusalJson>).code ?? ''}`,
    );
    expect(outcomes.filter((outcome) => outcome === '201 ')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === '400 WEBHOOK_LIMIT_REACHED')).toHaveLength(20);
    const made = await owner.list();
    expect(new Set(made.map(({ _id }) => _id)).size).toBe(10);
    const stored = service.collection('webhooksubscriptions');
    expect(await stored.countDocuments({ user: client.user })).toBe(10);
    await client.delete(`/webhooks/${made[4]?._id ?? ''}`).expect(200);
    await owner.create();
    expect((await owner.post()).body).toMatchObject({ code: 'WEBHOOK_LIMIT_REACHED' });
    await new WebhookOwner(await service.newAccount(), GOOD).create();
  });

  it('change only the fields that an update sends', async () => {
    const others = [await owner.create(), await owner.create()];
    let before = await owner.create({ name: 'Orders' });
    const path = `/webhooks/${before._id}`;
    for (const fields of [
      { name: 'Returns' },
      { isActive: false },
      { isActive: true },
      { deliveryUrl: 'http://hooks.example.com/other' },
      { signingSecret: 'another secret of more than 20' },
      { events: ['UNKNOWN_STATE', 'SMS_STATUS_UPDATED'] },
      { name: '', isActive: false, events: ['MESSAGE_SENT'] },
    ]) {
      const answer = await client.patch(path, fields).expect(200);
      const updatedAt = expect.any(String) as string;
      expect(answer.body).toEqual({ data: { ...before, ...fields, updatedAt } });
      before = await owner.read(before._id);
      expect(answer.body).toEqual({ data: before });
    }
    const nulls = { name: null, isActive: null, deliveryUrl: null, signingSecret: null, events: null };
    const notTheirs = {
      _id: NOBODY,
      user: NOBODY,
      createdAt: 0,
      notes: [],
      deliveryAttemptCount: 9,
    };
    for (const fields of [{}, nulls, notTheirs]) {
      await client.patch(path, fields).expect(200);
      const updatedAt = expect.any(String) as string;
      expect(await owner.read(before._id)).toEqual({ ...before, updatedAt });
    }
    expect(fieldsAtFault((await client.patch(path, { slot: 0 })).body)).toEqual(['slot']);
    for (const isActive of ['false', 0, 'yes'])
      expect(fieldsAtFault((await client.patch(path, { isActive })).body)).toEqual(['isActive']);
    for (const other of others) expect(await owner.read(other._id)).toEqual(other);
  });

  it('do not change when one field of an update is invalid', async () => {
    const before = await owner.create();
    const fields = { name: 'New', events: ['MESSAGE_FAILED'], deliveryUrl: 'http://127.0.0.1/' };
    await client.patch(`/webhooks/${before._id}`, fields).expect(400);
    expect(await owner.read(before._id)).toEqual(before);
  });

  it('are gone after deletion, except for their history', async () => {
    const { _id } = await owner.create();
    const kept = await owner.create();
    const path = `/webhooks/${_id}`;
    await client.delete(path).expect(200, { data: { success: true } });
    expect(await owner.list()).toEqual([kept]);
    await client.get(path).expect(404);
    await client.patch(path, { isActive: true }).expect(404);
    await client.delete(path).expect(404);
    await client.post(`${path}/test`).expect(404);
    expect(await owner.history({ webhookSubscriptionId: _id })).toEqual({
      data: [],
      meta: { page: 1, limit: 10, total: 0, totalPages: 0 },
    });
  });

  it('of another account cannot be read or changed', async () => {
    const mine = await owner.create();
    const stranger = await service.newAccount();
    const path = `/webhooks/${mine._id}`;
    const nobodys = await stranger.get(`/webhooks/${NOBODY}`);
    for (const { status, body } of [
      await stranger.get(path),
      await stranger.patch(path, { name: 'Mine now' }),
      await stranger.delete(path),
      await stranger.post(`${path}/test`),
      await stranger.post(`${path}/replay`, { from: '2026-01-01' }),
      await stranger.get(`/webhooks/notifications?webhookSubscriptionId=${mine._id}`),
    ])
      expect({ status, body: body as unknown }).toEqual({ status: 404, body: nobodys.body as unknown });
    expect((await stranger.get('/webhooks')).body).toEqual({ data: [] });
    expect(await owner.list()).toEqual([mine]);
  });

  it('answer 404 for a malformed id', async () => {
    for (const id of ['x', '0', `${NOBODY}0`, '%00', 'notification', '{}']) {
      const answer = await client.get(`/webhooks/${id}`);
      expect([id, answer.status, (answer.body as RefusalJson).code]).toEqual([id, 404, 'WEBHOOK_NOT_FOUND']);
    }
  });

  it('answer 401 without credentials', async () => {
    const { _id }: SubscriptionJson = await owner.create();
    for (const [method, path] of [
      ['get', ''],
      ['post', ''],
      ['get', `/${_id}`],
      ['patch', `/${_id}`],
      ['delete', `/${_id}`],
      ['post', `/${_id}/test`],
      ['post', `/${_id}/replay`],
      ['get', '/notifications'],
      ['get', `/notifications/${_id}`],
      ['post', `/notifications/${_id}/redeliver`],
    ] as const) {
      const answer = await request(service.url)[method](`/api/v1/webhooks${path}`);
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        401,
        { error: 'Unauthorized', code: 'AUTH_INVALID' },
      ]);
    }
    expect(await owner.list()).toHaveLength(1);
  });

  it('store secrets encrypted', async () => {
    const secrets = [0, 1, 2].map((index) => `plain secret number ${index}, unreadable`);
    const { _id } = await owner.create({ signingSecret: secrets[0] });
    for (const signingSecret of secrets.slice(1))
      await client.patch(`/webhooks/${_id}`, { signingSecret }).expect(200);
    expect((await owner.read(_id)).signingSecret).toBe(secrets[2]);
    const stored = JSON.stringify(await service.collection('webhooksubscriptions').find().toArray());
    expect(stored).toContain(_id);
    for (const secret of secrets) {
      expect(stored).not.toContain(secret);
      for (const encoding of ['base64', 'base64url', 'hex'] as const)
        expect(stored).not.toContain(Buffer.from(secret).toString(encoding).replace(/=+$/, ''));
    }
  });
});
