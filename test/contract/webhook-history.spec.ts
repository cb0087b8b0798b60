import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { respondWith, neverRespond, WebhookReceiver } from '../support/webhook-receiver';
import { NOBODY } from './contract-client';
import { type DeliveryJson, fieldsAtFault, WebhookOwner } from './webhook-owner';

const HOUR_MS = 3_600_000;

/** The status the endpoint answers, by the name of the subscription. */
const ANSWERS = {
  ok: respondWith(200),
  busy: respondWith(503),
  closed: respondWith(400),
  silent: neverRespond,
};
type Name = keyof typeof ANSWERS;

describe('the delivery history', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let client: TestClient;
  let owner: WebhookOwner;
  /** The first device has one event, an hour before all others and delivered to `ok` only. */
  let devices: string[];
  const ids = new Map<string, string>();
  let deliveries: readonly DeliveryJson[];

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    receiver = await WebhookReceiver.start((received, response) => {
      ANSWERS[received.path.slice('/hook/'.length) as Name](received, response);
    });
    client = await service.newAccount();
    owner = new WebhookOwner(client, {
      signingSecret: 'a secret of 20 characters',
      events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'SMS_STATUS_UPDATED'],
    });
    devices = [await client.newDevice(), await client.newDevice()];
    await subscribe('ok');
    await sendFrom(devices[0], 'SENT');
    await settled(1);
    service.clock.advance(HOUR_MS);
    for (const name of ['busy', 'closed', 'silent'] as const) await subscribe(name);
    await sendFrom(devices[1], 'SENT', 'DELIVERED');
    deliveries = await settled(9);
  });
  afterAll(async () => {
    await receiver.stop();
    await service.stop();
  });

  async function subscribe(name: Name): Promise<void> {
    ids.set(
      name,
      (await owner.create({ name, deliveryUrl: `${receiver.url}/${name}`, timeoutSeconds: 30 }))._id,
    );
  }

  async function sendFrom(deviceId = '', ...statuses: string[]): Promise<void> {
    const batch = await client.send(['+4915112345678'], { deviceId });
    const [message] = (await client.batch(deviceId, batch)).messages;
    for (const status of statuses) await client.report(deviceId, message?._id ?? '', status).expect(200);
  }

  /** Waits until this many deliveries have reached their final state. */
  async function settled(count: number): Promise<readonly DeliveryJson[]> {
    const ends = { ok: 'delivered', busy: 'retrying', closed: 'failed', silent: 'pending' };
    const endOf = new Map(Object.entries(ends).map(([name, end]) => [ids.get(name), end]));
    const { data } = await eventually(
      () => owner.history({ limit: '100' }),
      (page) =>
        page.data.length === count &&
        page.data.every((each) => each.computedStatus === endOf.get(each.webhookSubscription)),
    );
    return data;
  }

  const of = (name: Name) => (delivery: DeliveryJson) => delivery.webhookSubscription === ids.get(name);
  const onDevice = (device?: string) => (delivery: DeliveryJson) => delivery.payload.deviceId === device;

  async function expectFound(
    query: Record<string, string>,
    wanted: (delivery: DeliveryJson) => boolean,
    count: number,
  ): Promise<void> {
    const expected = deliveries.filter(wanted).map(({ _id }) => _id);
    const { data, meta } = await owner.history({ limit: '100', ...query });
    expect([query, expected.length]).toEqual([query, count]);
    expect([query, data.map(({ _id }) => _id)]).toEqual([query, expected]);
    expect([query, meta.total]).toEqual([query, count]);
  }

  // First: the attempts of the endpoint that never answers end after 30 s.
  it('filters by status', async () => {
    await expectFound({ status: 'delivered' }, of('ok'), 3);
    await expectFound({ status: 'retrying' }, of('busy'), 2);
    await expectFound({ status: 'failed' }, of('closed'), 2);
    await expectFound({ status: 'pending' }, of('silent'), 2);
  });

  it('lists the newest first, 10 per page by default and at most 100', async () => {
    const times = deliveries.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    expect((await owner.history()).meta).toEqual({ page: 1, limit: 10, total: 9, totalPages: 1 });
    const pages = [];
    for (const page of ['1', '2', '3', '4']) pages.push(await owner.history({ page, limit: '4' }));
    expect(pages.map(({ data }) => data.length)).toEqual([4, 4, 1, 0]);
    expect(pages.flatMap(({ data }) => data.map(({ _id }) => _id))).toEqual(deliveries.map(({ _id }) => _id));
    for (const [index, { meta }] of pages.entries())
      expect(meta).toEqual({ page: index + 1, limit: 4, total: 9, totalPages: 3 });
  });

  it.each([
    ['page', '1.5', 'x'],
    ['limit', '2.5', 'x'],
    ['status', 'gone'],
    ['eventType', 'MESSAGE_READ'],
    ['deviceId', 'x', `${NOBODY}0`],
    ['webhookSubscriptionId', 'x', `${NOBODY}0`],
    ['start', 'x', '2026-02-30', '12:00'],
    ['end', 'yesterday', '2026-13-01'],
  ])('rejects an invalid %s', async (field, ...values) => {
    for (const value of values) {
      const query = new URLSearchParams({ [field]: value }).toString();
      const answer = await client.get(`/webhooks/notifications?${query}`);
      expect([query, answer.status, fieldsAtFault(answer.body)]).toEqual([query, 400, [field]]);
    }
    const twice = await client.get(`/webhooks/notifications?${field}=1&${field}=2`);
    expect([twice.status, fieldsAtFault(twice.body)]).toEqual([400, [field]]);
  });

  it('names all invalid parameters', async () => {
    const answer = await client.get('/webhooks/notifications?deviceId=x&webhookSubscriptionId=y&start=z');
    expect(fieldsAtFault(answer.body)).toEqual(['deviceId', 'webhookSubscriptionId', 'start']);
  });

  it('filters by event', async () => {
    await expectFound({ eventType: 'MESSAGE_SENT' }, ({ event }) => event === 'MESSAGE_SENT', 5);
    await expectFound({ eventType: 'MESSAGE_DELIVERED' }, ({ event }) => event === 'MESSAGE_DELIVERED', 4);
    for (const eventType of ['MESSAGE_RECEIVED', 'MESSAGE_FAILED', 'UNKNOWN_STATE', 'SMS_STATUS_UPDATED'])
      await expectFound({ eventType }, () => false, 0);
  });

  it('filters by device', async () => {
    const [first = '', second = ''] = devices;
    await expectFound({ deviceId: first }, onDevice(first), 1);
    await expectFound({ deviceId: second.toUpperCase() }, onDevice(second), 8);
    await expectFound({ deviceId: NOBODY }, () => false, 0);
  });

  it('filters by subscription', async () => {
    for (const [name, count] of [
      ['ok', 3],
      ['busy', 2],
      ['closed', 2],
      ['silent', 2],
    ] as const)
      await expectFound({ webhookSubscriptionId: ids.get(name) ?? '' }, of(name), count);
    const answer = await client.get(`/webhooks/notifications?webhookSubscriptionId=${NOBODY}`);
    expect([answer.status, answer.body]).toEqual([
      404,
      expect.objectContaining({ code: 'WEBHOOK_NOT_FOUND' }),
    ]);
  });

  it('filters by time only if both start and end are given', async () => {
    const oldest = deliveries.at(-1)?.createdAt ?? '';
    const newest = deliveries.at(0)?.createdAt ?? '';
    const isOldest = ({ createdAt }: DeliveryJson) => createdAt === oldest;
    const later = new Date(Date.parse(oldest) + 1).toISOString();
    await expectFound({ start: oldest, end: oldest }, isOldest, 1);
    await expectFound({ start: later, end: newest }, (delivery) => !isOldest(delivery), 8);
    await expectFound({ start: oldest, end: newest }, () => true, 9);
    await expectFound({ start: '2020-01-01', end: '2020-01-02T00:00:00+02:00' }, () => false, 0);
    await expectFound({ start: newest, end: oldest }, () => false, 0);
    const withoutZone = later.replace('Z', '');
    await expectFound({ start: withoutZone, end: newest }, (delivery) => !isOldest(delivery), 8);
    for (const [end, time] of [
      ['start', newest],
      ['start', later],
      ['end', oldest],
      ['end', '2020-01-01'],
    ] as const)
      await expectFound({ [end]: time }, () => true, 9);
  });

  it('filters by all parameters together', async () => {
    const all = {
      status: 'failed',
      eventType: 'MESSAGE_SENT',
      webhookSubscriptionId: ids.get('closed') ?? '',
    };
    const [first = '', second = ''] = devices;
    const span = { start: '2020-01-01', end: '2999-01-01' };
    const wanted = (delivery: DeliveryJson) => of('closed')(delivery) && delivery.event === 'MESSAGE_SENT';
    await expectFound({ ...all, ...span, deviceId: second }, wanted, 1);
    await expectFound({ ...all, ...span, deviceId: first }, () => false, 0);
    await expectFound({ ...all, status: 'delivered' }, () => false, 0);
  });

  it('does not show deliveries of other accounts', async () => {
    const stranger = new WebhookOwner(await service.newAccount(), {});
    const [delivery] = deliveries;
    expect((await stranger.history()).meta).toMatchObject({ total: 0 });
    expect((await stranger.history({ deviceId: devices[1] ?? '' })).meta).toMatchObject({ total: 0 });
    const path = `/webhooks/notifications/${delivery?._id ?? ''}`;
    expect((await stranger.account.get(path)).status).toBe(404);
    expect((await stranger.account.post(`${path}/redeliver`)).status).toBe(404);
  });

  it('stays readable after its subscription is deleted, which aborts pending deliveries', async () => {
    const webhookSubscriptionId = ids.get('busy') ?? '';
    await client.delete(`/webhooks/${webhookSubscriptionId}`).expect(200);
    // An attempt in progress is aborted when it ends.
    const { data } = await eventually(
      () => owner.history({ webhookSubscriptionId }),
      (page) => page.data.every(({ computedStatus }) => computedStatus === 'failed'),
    );
    expect(data).toHaveLength(2);
    for (const delivery of data) {
      expect(delivery).toHaveProperty('deliveryAttemptAbortedAt');
      expect(delivery).not.toHaveProperty('nextDeliveryAttemptAt');
    }
    expect((await owner.history()).meta).toMatchObject({ total: 9 });
  });
});
