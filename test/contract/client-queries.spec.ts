import { TestClient } from '../support/client';
import { TestService } from '../support/service';

interface ListJson {
  readonly data: { readonly _id: string }[];
  readonly meta: { readonly page?: number; readonly limit: number; readonly nextCursor: string | null };
}

describe('query parameters as clients send them', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;
  let batch: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    client = await service.newAccount();
    device = await client.newDevice();
    batch = await client.send(['+4915112345678', '+4915112345679']);
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49 151 5', message: 'in' });
    service.clock.advance(5_000); // Ascending lists end a few seconds ago.
  });
  afterAll(() => service.stop());

  const read = async (path: string) => {
    const answer = await client.get(path);
    return { status: answer.status, ...(answer.body as ListJson & { error?: string }) };
  };
  const count = async (query: string) => (await read(`/gateway/messages?${query}`)).data.length;

  it.each([
    '/gateway/messages?cursor=&limit=&page=&order=&from=&to=&search=&status=&smsBatchId=&direction=&type=&deviceIds=&recipient=&sender=',
    '/webhooks/notifications?page=&limit=&status=&eventType=&deviceId=&start=&end=&webhookSubscriptionId=',
    '/auth/api-keys?status=',
  ])('treats empty values as absent: %s', async (path) => {
    const [pathWithoutQuery = ''] = path.split('?');
    expect(await read(path)).toEqual(await read(pathWithoutQuery));
    const device0 = `/gateway/devices/${device}`;
    expect((await read(`${device0}/messages?page=&limit=&type=`)).data).toHaveLength(3);
    expect((await read(`${device0}/get-received-sms?page=&limit=`)).data).toHaveLength(1);
  });

  it.each<[string, number, number]>([
    ['limit=0', 1, 1],
    ['limit=-7', 1, 1],
    ['limit=101', 1, 100],
    ['limit=99999999999999999999', 1, 100],
    ['page=0', 1, 50],
    ['page=-1&limit=1000', 1, 100],
    ['page=99999999999', 10_000_000, 50],
  ])('clamps page and limit: %s', async (query, page, limit) => {
    for (const list of ['/gateway/messages', `/gateway/devices/${device}/messages`]) {
      const { status, meta } = await read(`${list}?${query}`);
      expect([status, meta.page, meta.limit]).toEqual([200, page, limit]);
    }
    const { data } = (await client.get(`/webhooks/notifications?${query}`)).body as { data: ListJson };
    expect(data.meta.page).toBe(page);
    expect(data.meta.limit).toBe(limit === 50 ? 10 : limit);
  });

  it('accepts page 1 with a cursor and rejects other pages', async () => {
    const { meta } = await read('/gateway/messages?limit=1');
    const next = `/gateway/messages?limit=1&cursor=${meta.nextCursor}`;
    expect(await read(`${next}&page=1`)).toEqual(await read(next));
    expect((await read(`${next}&page=2`)).status).toBe(400);
  });

  it('reads enum values ignoring case', async () => {
    expect(await count('order=ASC')).toBe(3);
    expect(await count('status=Pending')).toBe(2);
    expect(await count('direction=RECEIVED')).toBe(1);
    expect(await count('type=SENT')).toBe(2);
    expect(await count('direction=ALL&type=all')).toBe(3);
    expect((await read('/auth/api-keys?status=ALL')).status).toBe(200);
    const history = '/webhooks/notifications?status=DELIVERED&eventType=message_sent';
    expect((await read(history)).status).toBe(200);
    expect((await read('/gateway/messages?status=lost')).status).toBe(400);
  });

  it('reads repeated device ids and ids with extra commas', async () => {
    const other = await client.newDevice({ model: 'Other' });
    expect(await count(`deviceIds=${device},`)).toBe(3);
    expect(await count(`deviceIds=${device}&deviceIds=${other}`)).toBe(3);
    expect(await count(`deviceIds=,${device},,${device}`)).toBe(3);
    expect(await count(`deviceIds=${other}`)).toBe(0);
  });

  it('reads deviceId as deviceIds', async () => {
    const other = await client.newDevice({ model: 'Another' });
    expect(await count(`deviceId=${device}`)).toBe(3);
    expect(await count(`deviceId=${other}`)).toBe(0);
    expect(await count(`deviceId=${device},${other}`)).toBe(3);
    expect(await count(`deviceId=${device}&deviceIds=${device},`)).toBe(3);
    for (const query of [`deviceId=${device}&deviceIds=${other}`, 'deviceId=x', 'deviceId=,']) {
      const answer = await client.get(`/gateway/messages?${query}`);
      expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field: 'deviceId' }] }]);
    }
    expect((await client.get('/gateway/messages?deviceId=665f1c2ab7e1d4a9c0f3e812')).status).toBe(404);
  });

  it.each([
    ['/gateway/messages', 'status[]=failed'],
    ['/gateway/messages', 'deviceIds[0]=665f1c2ab7e1d4a9c0f3e812'],
    ['/gateway/messages', 'filter[status]=failed'],
    ['/gateway/messages', 'statuss=failed'],
    ['/gateway/messages', 'eventType=MESSAGE_SENT'],
    ['/gateway/messages', 'start=2026-01-01'],
    ['/webhooks/notifications', 'from=2026-01-01'],
    ['/webhooks/notifications', 'event=MESSAGE_SENT'],
    ['/auth/api-keys', 'status[]=revoked'],
  ])('rejects an unknown parameter of %s that resembles a known one: %s', async (path, query) => {
    const answer = await client.get(`${path}?${query}`);
    expect(answer.status).toBe(400);
    const { details } = answer.body as { details: { field: string; message: string }[] };
    expect(details.map(({ field }) => field)).toEqual([query.split('=')[0]]);
    expect(details[0]?.message).toContain('did you mean');
  });

  it('ignores unknown parameters and lists them in X-Ignored-Fields', async () => {
    const answer = await client.get('/gateway/messages?_=1&utm_source=x&orderBy=createdAt&batchId=&user=me');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-ignored-fields']).toBe('_, utm_source, orderBy, user');
    expect((await client.get('/gateway/devices?page=1&limit=50')).status).toBe(200);
  });

  describe('recipient and sender', () => {
    it.each([
      ['recipient=%2B4915112345678', 1],
      ['recipient=+4915112345678', 1],
      ['recipient=4915112345678', 1],
      ['recipient=%2B49 (151) 123-45678', 1],
      [`recipient=4915112345678&smsBatchId=`, 1],
      ['recipient=4915112345670', 0],
      ['recipient=nobody', 0],
      ['sender=%2B49 151 5', 1],
      ['sender=491515', 1],
      ['sender=4915112345678', 0],
      ['recipient=4915112345678&status=failed', 0],
      ['recipient=4915112345678&direction=sent&limit=1', 1],
    ])('%s finds %i', async (query, found) => {
      expect(await count(query)).toBe(found);
    });

    it.each([
      ['BANK', 'BANK', 1],
      ['BANK', 'Bank', 0],
      ['+4930555', '4930555', 1],
      ['4930555', '%2B4930555', 1],
      ['4930555', '%2B49 30 555', 1],
      ['+49 30 555', '4930555', 1],
      ['72404', '72404', 1],
    ])(
      'compares numbers in any spelling, and names as the phone reported them: %s matches %s %i times',
      async (sender, query, found) => {
        const other = await service.newAccount();
        const phone = await other.newDevice();
        await other.post(`/gateway/devices/${phone}/receive-sms`, { sender, message: 'in' }).expect(200);
        const answer = await other.get(`/gateway/messages?sender=${query}`);
        expect((answer.body as { data: object[] }).data).toHaveLength(found);
      },
    );

    it('combine with a batch and a device', async () => {
      expect(await count(`recipient=4915112345679&smsBatchId=${batch}&deviceIds=${device}`)).toBe(1);
    });
  });
});
