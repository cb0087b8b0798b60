import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MAX_LISTS_PER_ACCOUNT } from '../../src/contacts/store/contact-limits';
import { ContactListsRepository } from '../../src/contacts/lists/contact-lists.repository';
import { ContactLists } from '../../src/contacts/lists/contact-lists.service';
import { ListMembersRepository } from '../../src/contacts/lists/list-members.repository';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { TestService } from '../support/service';

const NOBODY = '0123456789abcdef01234567';
const [ANA, BO, CY] = ['+447700900123', '+447700900124', '+447700900125'] as const;

type Json = Record<string, unknown>;
type Answer = Json & { readonly _id: string; readonly smsBatchId: string };

describe('lists of contacts', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  // No worker runs: what is sent waits.
  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const dataOf = ({ body }: { body: unknown }) => (body as { data: Answer }).data;
  const listOf = ({ body }: { body: unknown }) => (body as { data: Answer[] }).data;
  const idOf = (answer: { body: unknown }) => dataOf(answer)._id;
  const contact = async (name: string, number: string, fields: Json = {}) =>
    idOf(await client.post('/gateway/contacts', { name, numbers: [{ number }], ...fields }).expect(201));
  const create = (name: string, segment?: Json) => client.post('/gateway/lists', { name, segment });
  const list = async (name: string, members: string[] = []) => {
    const id = idOf(await create(name).expect(201));
    if (members.length > 0) await add(id, members).expect(200);
    return id;
  };
  const add = (id: string, contactIds: string[]) =>
    client.post(`/gateway/lists/${id}/members`, { contactIds });
  const remove = (id: string, contactIds: string[]) =>
    client.delete(`/gateway/lists/${id}/members`).send({ contactIds });
  const members = async (id: string) =>
    listOf(await client.get(`/gateway/lists/${id}/members`).expect(200)).map(({ name }) => name);
  const send = (fields: Json, key?: string) => {
    const request = client.post('/gateway/send-sms', { message: 'Hello', ...fields });
    return key === undefined ? request : request.set('idempotency-key', key);
  };
  const recipients = async (answer: { body: unknown }) => {
    const { smsBatchId } = dataOf(answer);
    const { messages } = await client.batch(device, smsBatchId);
    return messages.map(({ recipient }) => recipient).toSorted();
  };

  it('are created, changed and deleted; members are added and removed, and stay contacts', async () => {
    const [ana, bo] = [await contact('Ana', ANA), await contact('bo', BO)];
    const id = await list('Newsletter');
    expect(dataOf(await add(id, [bo, ana, ana]).expect(200))).toMatchObject({
      name: 'Newsletter',
      memberCount: 2,
    });
    await add(id, [bo]).expect(200);
    expect(await members(id)).toEqual(['Ana', 'bo']);
    expect(dataOf(await client.get(`/gateway/contacts/${ana}`))).toMatchObject({ lists: [id] });
    await client.patch(`/gateway/contacts/${ana}`, { name: 'Cleo' }).expect(200);
    expect(dataOf(await remove(id, [bo, NOBODY]).expect(200))).toMatchObject({ memberCount: 1 });
    expect(await members(id)).toEqual(['Cleo']);
    await client.patch(`/gateway/lists/${id}`, { name: 'News' }).expect(200);
    await list('Älter');
    expect(dataOf(await client.get('/gateway/lists'))).toMatchObject([
      { name: 'Älter', memberCount: 0 },
      { name: 'News', memberCount: 1 },
    ]);
    await client.delete(`/gateway/lists/${id}`).expect(200);
    expect(dataOf(await client.get(`/gateway/contacts/${ana}`))).toMatchObject({ lists: [] });
    await list('News');
  });

  it('refuse unknown ids, contacts of nobody, names that are taken and more than the limit', async () => {
    const id = await list('One');
    const answer = await add(id, [NOBODY]);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field: 'contactIds.0' }] }]);
    for (const body of [{ name: 'ONE' }, { name: '' }, {}])
      expect((await client.post('/gateway/lists', body).expect(400)).body).toMatchObject({
        details: [{ field: 'name' }],
      });
    for (const segment of [{}, { tag: 'a', field: 'b', value: 'c' }, { field: 'b' }])
      expect((await create('Two', segment).expect(400)).body).toMatchObject({
        details: [{ field: 'segment' }],
      });
    const stranger = await service.newAccount();
    for (const refused of [
      await client.get(`/gateway/lists/${NOBODY}`),
      await client.get(`/gateway/lists/${NOBODY}/members`),
      await stranger.patch(`/gateway/lists/${id}`, { name: 'x' }),
      await stranger.delete(`/gateway/lists/${id}`),
      await stranger.post(`/gateway/lists/${id}/members`, { contactIds: [NOBODY] }),
      await stranger.get(`/gateway/contacts?listId=${id}`),
    ])
      expect([refused.status, refused.body]).toMatchObject([404, { code: 'LIST_NOT_FOUND' }]);
    const answers = await Promise.all(
      Array.from({ length: MAX_LISTS_PER_ACCOUNT + 3 }, (_, n) => create(`List ${n}`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_LISTS_PER_ACCOUNT - 1);
    expect((await create('excess').expect(400)).body).toMatchObject({ code: 'LIST_LIMIT_REACHED' });
  });

  it('that are segments have the contacts that meet their condition', async () => {
    const ana = await contact('Ana', ANA, { tags: ['Kunde'], fields: { city: 'Köln' } });
    await contact('Bo', BO, { fields: { city: 'KOLN' } });
    const id = idOf(await create('Customers', { tag: 'kunde' }).expect(201));
    const byCity = idOf(await create('Cologne', { field: 'city', value: 'Köln' }).expect(201));
    expect([await members(id), await members(byCity)]).toEqual([['Ana'], ['Ana', 'Bo']]);
    await client.patch(`/gateway/contacts/${ana}`, { fields: { city: 'Bonn' } }).expect(200);
    expect(await members(byCity)).toEqual(['Bo']);
    expect((await add(id, [ana]).expect(400)).body).toMatchObject({ code: 'LIST_IS_SEGMENT' });
    await client.patch(`/gateway/lists/${id}`, { segment: { tag: 'none' } }).expect(200);
    expect(await members(id)).toEqual([]);
    await client.patch(`/gateway/lists/${await list('Plain')}`, { segment: { tag: 'none' } }).expect(400);
  });

  it('whose deletion was interrupted are deleted by maintenance', async () => {
    const account = accountScope(client.user);
    const ana = await contact('Ana', ANA);
    for (const crash of [
      crashAtCall(ListMembersRepository, 'removeSome'),
      crashAtCall(ContactListsRepository, 'removeHidden'),
    ]) {
      const id = await list('News', [ana]);
      crash(service, 'before');
      await client.delete(`/gateway/lists/${id}`).expect(500);
      await client.get(`/gateway/lists/${id}`).expect(404);
      const again = await list('News');
      await service.get(ContactLists).recoverAll(account);
      expect(await service.collection('lists').countDocuments({ user: client.user })).toBe(1);
      expect(dataOf(await client.get(`/gateway/contacts/${ana}`))).toMatchObject({ lists: [] });
      await client.delete(`/gateway/lists/${again}`).expect(200);
    }
  });

  describe('in place of recipients', () => {
    it('mean the first number of each member, once', async () => {
      const people = [await contact('Ana', ANA), await contact('Bo', BO)];
      await client
        .patch(`/gateway/contacts/${people[0] ?? ''}`, { numbers: [{ number: CY }, { number: ANA }] })
        .expect(200);
      // Stored before the account had a country.
      people.push(await contact('Di', '07700 900124'));
      await service
        .collection('accounts')
        .updateOne({ _id: client.user }, { $set: { defaultCountry: 'GB' } });
      const id = await list('News', people);
      const answer = await send({ listId: id, message: 'x'.repeat(200) }).expect(200);
      expect(dataOf(answer)).toMatchObject({ recipientCount: 2, segments: 2, parts: 4 });
      expect(await recipients(answer)).toEqual([expect.stringMatching(/900124$/), CY].toSorted());
    });

    it('stay as they were when the send was accepted, also for a request that is repeated', async () => {
      const [ana, bo] = [await contact('Ana', ANA), await contact('Bo', BO)];
      const id = await list('News', [ana, bo]);
      const sent = await send({ listId: id }, 'key').expect(200);
      await remove(id, [ana]).expect(200);
      const repeated = await send({ listId: id }, 'key').expect(200);
      expect(dataOf(repeated)).toEqual(dataOf(sent));
      expect(repeated.headers['idempotency-replayed']).toBe('true');
      await client.delete(`/gateway/lists/${id}`).expect(200);
      expect(dataOf(await send({ listId: id }, 'key').expect(200))).toEqual(dataOf(sent));
      expect(await recipients(sent)).toEqual([ANA, BO]);
      expect((await send({ listId: NOBODY }, 'key').expect(400)).body).toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    });

    it('may be of several entries, and of an estimate', async () => {
      const [ana, bo] = [await contact('Ana', ANA), await contact('Bo', BO, { tags: ['vip'] })];
      const id = await list('News', [ana, bo]);
      const vip = idOf(await create('VIP', { tag: 'vip' }).expect(201));
      const messages = [
        { message: 'One', listId: id },
        { message: 'Two', listId: vip },
        { message: 'Three', recipients: [CY] },
      ];
      const sent = await client.post('/gateway/send-bulk-sms', { messages }).expect(200);
      expect(await recipients(sent)).toEqual([ANA, BO, BO, CY]);
      const estimate = await client.post('/gateway/estimates', { message: 'One', listId: id });
      expect([estimate.status, estimate.body]).toMatchObject([200, { data: { messages: 2 } }]);
    });

    it('are refused if nobody would get a message, naming the field', async () => {
      const empty = await list('Empty');
      const named = await list('Named', [await contact('DHL', 'DHL')]);
      for (const fields of [
        { listId: empty },
        { listId: NOBODY },
        { listId: 'x' },
        { listId: '' },
        { listId: named },
        { listId: empty, recipients: [ANA] },
      ])
        expect((await send(fields).expect(400)).body).toMatchObject({ details: [{ field: 'listId' }] });
      const bulk = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: 'x', recipients: [ANA] },
          { message: 'x', listId: empty },
        ],
      });
      expect([bulk.status, bulk.body]).toMatchObject([400, { details: [{ field: 'messages.1.listId' }] }]);
    });

    it('name a contact without a phone number, or leave it out', async () => {
      const id = await list('News', [await contact('Ana', ANA), await contact('Bank', 'My Bank')]);
      expect((await send({ listId: id }).expect(400)).body).toMatchObject({
        details: [
          { field: 'listId', message: expect.stringContaining('no phone number: "My Bank"') as unknown },
        ],
      });
      const answer = await send({ listId: id, onInvalidNumber: 'skip' }).expect(200);
      expect(dataOf(answer)).toMatchObject({
        recipientCount: 1,
        skippedCount: 1,
        skippedRecipients: [{ value: 'My Bank' }],
      });
      expect(await recipients(answer)).toEqual([ANA]);
    });

    it('may have 10,000 members, and not one more', async () => {
      const id = await list('Large');
      const members = Array.from({ length: 10_001 }, (_, n) => {
        const number = `+4477${String(10_000_000 + n)}`;
        return {
          user: client.user,
          name: '',
          sortKey: number,
          numbers: [{ number, peerNumber: number }],
          peerNumbers: [number],
          lists: [new Types.ObjectId(id)],
        };
      });
      await service.collection('contacts').insertMany(members, { ordered: false });
      expect((await send({ listId: id }).expect(400)).body).toMatchObject({ details: [{ field: 'listId' }] });
    });
  });
});
