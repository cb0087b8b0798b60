import { Types } from 'mongoose';
import type { MessageJson, TestClient } from '../support/client';
import { type ListQuery, MessageLists } from '../support/message-lists';
import type { SessionClient } from '../support/session-client';

const INTERNATIONAL = '+44 7700 900123';
const NATIONAL = '07700 900123';

const lists = new MessageLists();
let client: TestClient;
let owner: SessionClient;

beforeAll(() => lists.start());
beforeEach(async () => {
  await lists.useNewAccount();
  ({ client } = lists);
  owner = await lists.service.signIn(client);
});
afterAll(() => lists.stop());

const setCountry = (defaultCountry: unknown) => owner.patch('/auth/update-profile', { defaultCountry });
const receive = (sender: string, device = lists.device) =>
  client.post(`/gateway/devices/${device}/receive-sms`, { sender, message: 'Hello' });
const send = (recipient: string, fields: object = {}) => client.send([recipient], fields);
const numbers = async (query: ListQuery) => {
  const { data, meta } = await lists.list(query);
  expect(meta.total).toBe(data.length);
  return data.map(({ recipient, sender }: Partial<MessageJson>) => recipient ?? sender).reverse();
};
const stored = () =>
  lists.service
    .collection('messages')
    .find({ user: client.user })
    .sort({ createdAt: 1, _id: 1 })
    .map(({ peerNumber }) => peerNumber as unknown)
    .toArray();

describe('the default country', () => {
  it('is set, returned and removed', async () => {
    const answer = await setCountry('GB');
    expect([answer.status, answer.body]).toMatchObject([200, { data: { defaultCountry: 'GB' } }]);
    expect((await client.get('/auth/who-am-i')).body).toMatchObject({ data: { defaultCountry: 'GB' } });
    // Absent and null stay unchanged.
    for (const body of [{ name: 'Ada' }, { defaultCountry: null }]) {
      expect((await owner.patch('/auth/update-profile', body)).body).toMatchObject({
        data: { defaultCountry: 'GB' },
      });
    }
    expect((await setCountry('')).body).not.toHaveProperty('data.defaultCountry');
    expect((await client.get('/auth/who-am-i')).body).not.toHaveProperty('data.defaultCountry');
  });

  it.each(['gb', 'XX', 'GBR', 44, ['GB'], { $ne: 1 }])('rejects %j', async (country) => {
    const answer = await setCountry(country);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { details: [{ field: 'defaultCountry', message: expect.stringContaining('such as GB') as string }] },
    ]);
    expect((await client.get('/auth/who-am-i')).body).not.toHaveProperty('data.defaultCountry');
  });

  it('is not changed by an API key', async () => {
    const answer = await client.patch('/auth/update-profile', { defaultCountry: 'GB' });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'SESSION_REQUIRED' }]);
  });
});

describe('messages by number', () => {
  it('are found by any spelling, and keep the given one', async () => {
    await setCountry('GB');
    for (const spelling of [INTERNATIONAL, NATIONAL]) {
      await send(spelling);
      await receive(spelling);
    }
    await send('07700 900124');
    await receive('07700900124');
    for (const spelling of [INTERNATIONAL, NATIONAL, '447700900123', ' 447700900123', '+44 (0)7700-900123']) {
      expect(await numbers({ recipient: spelling })).toEqual(['+447700900123', '07700900123']);
      expect(await numbers({ sender: spelling })).toEqual([INTERNATIONAL, NATIONAL]);
    }
    expect(await numbers({ recipient: NATIONAL, direction: 'received' })).toEqual([]);
    expect(await numbers({ recipient: NATIONAL, sender: NATIONAL })).toEqual([]);
    expect(await lists.readAllPages({ recipient: NATIONAL, limit: 1 })).toHaveLength(2);
  });

  it('are read with the country of the named SIM, else of the first', async () => {
    const sims = [
      { subscriptionId: 1, countryIso: 'gb' },
      { subscriptionId: 2, countryIso: 'de' },
    ];
    await client.patch(`/gateway/devices/${lists.device}`, { simInfo: { lastUpdated: 1, sims } });
    await send('07700 900123');
    await send('0151 12345678', { simSubscriptionId: 2 });
    await receive('07700 900123');
    expect(await stored()).toEqual(['+447700900123', '+4915112345678', '+447700900123']);
    expect(await numbers({ recipient: '0151 12345678' })).toEqual(['015112345678']);
    expect(await numbers({ recipient: '+4915112345678' })).toEqual(['015112345678']);
    // The country of the account comes first.
    await setCountry('FR');
    await send('06 12 34 56 78', { simSubscriptionId: 2 });
    expect((await stored()).at(-1)).toBe('+33612345678');
  });

  it('are found as they were given if they cannot be read', async () => {
    await setCountry('DE');
    const senders = ['88222', 'BANK', '+49 1', 'My Bank (Info)'];
    for (const sender of senders) await receive(sender);
    await send('22000');
    expect(await stored()).toEqual(['88222', 'BANK', '+491', 'My Bank (Info)', '22000']);
    for (const sender of senders) expect(await numbers({ sender })).toEqual([sender]);
    expect(await numbers({ sender: 'Bank' })).toEqual([]);
    expect(await numbers({ sender: '+491' })).toEqual(['+49 1']);
    expect(await numbers({ recipient: '+22000' })).toEqual(['22000']);
  });

  it('are read only with their country code if no country is known', async () => {
    await send(NATIONAL);
    await send('447700900123');
    await send('+44 07700 900123');
    await receive('00447700900123');
    await receive('(07700) 900123');
    const person = '+447700900123';
    expect(await stored()).toEqual(['07700900123', person, person, person, '07700900123']);
    expect(await numbers({ recipient: NATIONAL })).toEqual(['07700900123']);
    for (const spelling of [person, '447700900123', '0044 7700 900123', '+44 (0)7700 900123']) {
      expect(await numbers({ recipient: spelling })).toEqual(['447700900123', person]);
      expect(await numbers({ contactNumber: spelling })).toEqual(['447700900123', person, '00447700900123']);
    }
    expect(await numbers({ contactNumber: '07700-900123' })).toEqual(['07700900123', '(07700) 900123']);
  });

  it.each([
    ['Mexico', '+525512345678', ['+52 55 1234 5678', '+5215512345678', '5215512345678']],
    ['Argentina', '+5491123456789', ['+54 9 11 2345-6789', '+541123456789', '+54 11 15 2345 6789']],
    ['Brazil', '+5511987654321', ['+5511987654321', '+55 11 8765-4321', '551187654321']],
  ])('are one conversation in all spellings of %s', async (_, person, spellings) => {
    for (const spelling of spellings) await receive(spelling);
    expect(await stored()).toEqual(spellings.map(() => person));
    const path = (number: string) => `/gateway/conversations/${encodeURIComponent(number)}`;
    for (const spelling of spellings) {
      expect((await client.get(path(spelling))).body).toMatchObject({
        data: { number: person, unreadCount: 3 },
      });
      for (const field of ['sender', 'contactNumber', 'search'])
        expect(await numbers({ [field]: spelling })).toEqual(spellings);
    }
    const found = await client.get(`/gateway/conversations?search=${encodeURIComponent(spellings[1] ?? '')}`);
    expect(found.body).toMatchObject({ data: [{ number: person }] });
  });

  it('are found by a search in every spelling, also by a part', async () => {
    await setCountry('GB');
    await receive('+447700900123');
    await send('07700 900123');
    await send('0151 12345678');
    const both = ['+447700900123', '07700900123'];
    for (const search of [
      '07700 900123',
      '0044 7700 900123',
      '447700900123',
      '+44 (0)7700',
      '07700 9001',
      '7700-900',
    ])
      expect([search, await numbers({ search })]).toEqual([search, both]);
    const path = (number: string) => `/gateway/conversations/${encodeURIComponent(number)}`;
    for (const spelling of ['07700 900123', '447700900123'])
      expect((await client.get(path(spelling))).body).toMatchObject({ data: { number: '+447700900123' } });
    expect((await client.patch(path('07700 900123'), { note: 'Ada' })).body).toMatchObject({
      data: { number: '+447700900123', note: 'Ada' },
    });
    expect((await client.post(`${path('00447700900123')}/read`, {})).body).toMatchObject({
      data: { number: '+447700900123', unreadCount: 0 },
    });
    expect((await client.get('/gateway/conversations?search=07700%20900')).body).toMatchObject({
      data: [{ number: '+447700900123' }],
    });
  });

  it('without a known country are found as they were given', async () => {
    await lists.store([
      { recipient: '+447700900123' },
      { recipient: '447700900123' },
      { recipient: '+447700900124' },
      { direction: 'received', sender: '+447700900123' },
      { direction: 'received', sender: 'BANK' },
    ]);
    expect(await numbers({ recipient: INTERNATIONAL })).toEqual(['+447700900123', '447700900123']);
    expect(await numbers({ sender: INTERNATIONAL })).toEqual(['+447700900123']);
    expect(await numbers({ sender: 'BANK' })).toEqual(['BANK']);
  });

  it('lose their number when they are deleted', async () => {
    await receive(INTERNATIONAL);
    const [id = ''] = await lists.find({ sender: INTERNATIONAL, order: 'desc' });
    expect((await client.delete(`/gateway/messages/${id}`)).status).toBe(200);
    expect(await numbers({ sender: INTERNATIONAL })).toEqual([]);
    const message = await lists.service.collection('messages').findOne({ _id: new Types.ObjectId(id) });
    expect(JSON.stringify(message)).not.toContain('7700');
  });
});
