import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { ContactMerge } from '../../src/contacts/contact-merge.service';
import { ContactsRepository } from '../../src/contacts/store/contacts.repository';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { TestService } from '../support/service';

const NUMBER = '+447700900123';
const NOBODY = '0123456789abcdef01234567';

type Json = Record<string, unknown>;
interface ContactJson extends Json {
  readonly _id: string;
  readonly name: string;
  readonly numbers: { number: string; peerNumber: string }[];
  readonly fields: Json;
  readonly lists: string[];
}

describe('contacts', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
  });
  beforeEach(async () => {
    client = await service.newAccount();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const numbersOf = (...numbers: string[]) => numbers.map((number) => ({ number }));
  const post = (name: string, numbers: string[], fields: Json = {}, by = client) =>
    by.post('/gateway/contacts', { name, numbers: numbersOf(...numbers), ...fields });
  const dataOf = ({ body }: { body: unknown }) => (body as { data: ContactJson }).data;
  const listOf = ({ body }: { body: unknown }) => (body as { data: ContactJson[] }).data;
  const create = async (name: string, numbers: string[], fields: Json = {}) =>
    dataOf(await post(name, numbers, fields).expect(201));
  const read = async (id: string) => dataOf(await client.get(`/gateway/contacts/${id}`).expect(200));
  const names = async (query: string) =>
    listOf(await client.get(`/gateway/contacts?${query}`).expect(200)).map(({ name }) => name);
  const useGermany = () =>
    service.collection('accounts').updateOne({ _id: client.user }, { $set: { defaultCountry: 'DE' } });

  it('are created, read and changed; a change changes only what is given', async () => {
    await useGermany();
    const ana = await create(' Ana Marín ', ['0151 23456789', 'DHL'], {
      fields: { city: 'Köln', plan: '' },
      tags: ['Kunde', 'kunde', ' VIP '],
      notes: 'Calls after five',
      language: 'de',
    });
    expect(ana).toMatchObject({
      name: 'Ana Marín',
      numbers: [
        { number: '0151 23456789', peerNumber: '+4915123456789' },
        { number: 'DHL', peerNumber: 'DHL' },
      ],
      fields: { city: 'Köln' },
      tags: ['Kunde', 'VIP'],
      lists: [],
      notes: 'Calls after five',
      language: 'de',
    });
    expect(await read(ana._id)).toEqual(ana);
    const patch = async (body: Json) =>
      dataOf(await client.patch(`/gateway/contacts/${ana._id}`, body).expect(200));
    expect(await patch({ fields: { plan: 'gold' }, notes: null })).toMatchObject({
      name: 'Ana Marín',
      fields: { city: 'Köln', plan: 'gold' },
      tags: ['Kunde', 'VIP'],
    });
    const changed = await patch({ fields: { city: '' }, numbers: numbersOf('+4915123456780') });
    expect(changed).toMatchObject({ fields: { plan: 'gold' }, numbers: [{ peerNumber: '+4915123456780' }] });
    expect(changed).not.toHaveProperty('notes');
    expect(await names('search=15123456780')).toEqual(['Ana Marín']);
    expect(await names('search=15123456789')).toEqual([]);
    // The old number is free.
    await create('Bo', ['+4915123456789']);
  });

  it.each<[string, Json, string]>([
    ['an empty list of numbers', { numbers: [] }, 'numbers'],
    ['no numbers', {}, 'numbers'],
    ['a number that a spreadsheet shortened', { numbers: numbersOf('4.47E+11') }, 'numbers.0.number'],
    ['too few digits', { numbers: numbersOf('12') }, 'numbers.0.number'],
    ['a number twice', { numbers: numbersOf(NUMBER, '+44 (0)7700 900123') }, 'numbers.1.number'],
    ['21 numbers', { numbers: Array.from({ length: 21 }, () => ({ number: NUMBER })) }, 'numbers'],
    ['a field that is no text', { numbers: numbersOf(NUMBER), fields: { a: 1 } }, 'fields.a'],
    ['a long value', { numbers: numbersOf(NUMBER), fields: { a: 'x'.repeat(1_001) } }, 'fields.a'],
    [
      'long values',
      {
        numbers: numbersOf(NUMBER),
        fields: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, 'x'.repeat(1_000)])),
      },
      'fields',
    ],
    ['a language that is none', { numbers: numbersOf(NUMBER), language: 'German' }, 'language'],
    ['a long tag', { numbers: numbersOf(NUMBER), tags: ['x'.repeat(65)] }, 'tags'],
  ])('refuse %s, naming the field', async (_, body, field) => {
    const answer = await client.post('/gateway/contacts', body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    expect(await names('limit=1')).toEqual([]);
  });

  it('have each number once: who has it is named, also to the second of two requests at once', async () => {
    const ana = await create('Ana', ['+5215512345678', '+447700900123']);
    const refused = await post('Bo', ['+447700900124', '52 55 1234 5678']).expect(400);
    expect(refused.body).toMatchObject({
      code: 'CONTACT_NUMBER_TAKEN',
      details: [{ field: 'numbers.1.number' }],
      contact: { _id: ana._id, name: 'Ana' },
    });
    expect((refused.body as { message: string }).message).toContain(`"Ana" (${ana._id})`);
    const bo = await create('Bo', ['+447700900124']);
    const patched = await client.patch(`/gateway/contacts/${bo._id}`, {
      numbers: numbersOf('+447700900123'),
    });
    expect([patched.status, patched.body]).toMatchObject([400, { contact: { name: 'Ana' } }]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        post(`New ${n}`, ['+447700900199'], {}, n % 2 ? client : client.at(other.url)),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 400),
    ]);
    const winner = dataOf(answers.find(({ status }) => status === 201) ?? { body: {} });
    for (const answer of answers)
      if (answer.status === 400)
        expect(answer.body).toMatchObject({ contact: { _id: winner._id, name: winner.name } });
    // Another account may have it, too.
    await post('Ana', ['+447700900123'], {}, await service.newAccount()).expect(201);
  });

  it('are changed by requests at once without losing a change', async () => {
    const { _id } = await create('Ana', ['+447700900123']);
    const patches = Array.from({ length: 10 }, (_, n) =>
      (n % 2 ? client : client.at(other.url)).patch(`/gateway/contacts/${_id}`, {
        fields: { [`f${n}`]: 'x' },
      }),
    );
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200);
    expect(Object.keys((await read(_id)).fields)).toHaveLength(10);
  });

  it('are found by the beginning of words and of numbers, and filtered', async () => {
    await useGermany();
    await create('Ana Marín López', ['+4915123456789'], { tags: ['VIP'], fields: { city: 'Köln' } });
    await create('Marta Anders', ['+4915123456700', '+447700900123'], { tags: ['vip', 'new'] });
    await create('Kunde 12', ['+390612345678'], { fields: { city: 'KOLN' } });
    await create('', ['12345']);
    const expected: [string, string[]][] = [
      ['', ['', 'Ana Marín López', 'Kunde 12', 'Marta Anders']],
      ['search=MAR', ['Ana Marín López', 'Marta Anders']],
      ['search=marin%20an', ['Ana Marín López']],
      ['search=an', ['Ana Marín López', 'Marta Anders']],
      ['search=rin', []],
      ['search=0151%202345', ['Ana Marín López', 'Marta Anders']],
      ['search=015123456789', ['Ana Marín López']],
      ['search=%2B44%20(0)7700', ['Marta Anders']],
      ['search=00447700900123', ['Marta Anders']],
      ['search=06%201234', ['Kunde 12']],
      ['search=kunde%2012', ['Kunde 12']],
      ['search=123', ['']],
      ['search=(', []],
      ['number=0151%2F23456789', ['Ana Marín López']],
      ['number=0151%2F234567', []],
      ['tag=vip', ['Ana Marín López', 'Marta Anders']],
      ['tag=new&search=mar', ['Marta Anders']],
      ['field=city&value=köln', ['Ana Marín López', 'Kunde 12']],
      ['field=City&value=köln', []],
    ];
    for (const [query, found] of expected) expect([query, await names(query)]).toEqual([query, found]);
    for (const [query, field] of [
      ['cursor=none', 'cursor'],
      ['field=city', 'value'],
      ['listId=x', 'listId'],
      [`search=${'x'.repeat(257)}`, 'search'],
    ]) {
      const answer = await client.get(`/gateway/contacts?${query}`);
      expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    }
  });

  describe('are listed', () => {
    interface ContactPageJson {
      readonly data: ContactJson[];
      readonly meta: {
        readonly limit: number;
        readonly nextCursor: string | null;
        readonly hasMore: boolean;
      };
    }

    async function* pages(query: string): AsyncGenerator<ContactPageJson> {
      let cursor: string | null = '';
      while (cursor !== null) {
        const answer = await client.get(`/gateway/contacts?${query}&cursor=${cursor}`).expect(200);
        const page = answer.body as ContactPageJson;
        yield page;
        cursor = page.meta.nextCursor;
      }
    }

    it('in pages, with and without a search', async () => {
      const stored = Array.from({ length: 7 }, (_, n) => `Same ${'ÄbCdefg'.charAt(n)}`);
      for (const [n, name] of stored.entries()) await create(name, [`+44770090010${n}`]);
      for (const query of ['limit=3', 'limit=3&search=same']) {
        const seen: string[] = [];
        for await (const { data, meta } of pages(query)) {
          seen.push(...data.map(({ name }) => name));
          expect(meta).toEqual({ limit: 3, nextCursor: meta.nextCursor, hasMore: meta.nextCursor !== null });
        }
        expect(seen).toEqual(stored);
      }
    });

    it('in smaller pages if they are large', async () => {
      const fields = Object.fromEntries(
        Array.from({ length: 10 }, (_, n) => [`field ${n}`, 'x'.repeat(990)]),
      );
      const large = { fields, notes: 'x'.repeat(5_000) };
      for (let n = 10; n < 40; n++) await create(`Person ${n}`, [`+4477009001${n}`], large);
      for (const query of ['limit=100', 'limit=100&search=person']) {
        const counts: number[] = [];
        for await (const { data } of pages(query)) counts.push(data.length);
        expect(counts).toEqual([14, 14, 2]);
      }
    });
  });

  it('belong to one account', async () => {
    const { _id } = await create('Ana', ['+447700900123']);
    const stranger = await service.newAccount();
    for (const answer of [
      await stranger.get(`/gateway/contacts/${_id}`),
      await stranger.patch(`/gateway/contacts/${_id}`, { name: 'x' }),
      await stranger.post(`/gateway/contacts/${_id}/merge`, { contactId: NOBODY }),
      await client.get(`/gateway/contacts/${NOBODY}`),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { code: 'CONTACT_NOT_FOUND' }]);
  });

  describe('a merge', () => {
    const merge = (target: string, source: string, by = client) =>
      by.post(`/gateway/contacts/${target}/merge`, { contactId: source });
    const MERGED = {
      name: 'Ana',
      numbers: [{ peerNumber: '+447700900123' }, { peerNumber: '+447700900124' }],
      fields: { city: 'Leeds', plan: 'gold' },
      tags: ['a', 'b'],
      notes: 'One\n\nTwo',
      language: 'en',
    };
    const pair = async () => {
      const ana = await create('Ana', ['+447700900123'], {
        fields: { city: 'Leeds' },
        tags: ['a'],
        notes: 'One',
      });
      const bo = await create('Bo', ['+447700900124'], {
        fields: { city: 'York', plan: 'gold' },
        tags: ['A', 'b'],
        notes: 'Two',
        language: 'en',
      });
      return [ana._id, bo._id] as const;
    };

    it('joins both, once, and removes the other', async () => {
      const [ana, bo] = await pair();
      for (const answer of await Promise.all([merge(ana, bo), merge(ana, bo, client.at(other.url))]))
        expect([answer.status, dataOf(answer)]).toMatchObject([200, MERGED]);
      expect(dataOf(await merge(ana, bo).expect(200))).toMatchObject(MERGED);
      await client.get(`/gateway/contacts/${bo}`).expect(404);
      expect(await names('search=bo')).toEqual([]);
      expect(await names('number=%2B447700900124')).toEqual(['Ana']);
      expect(await service.collection('contacts').countDocuments({ user: client.user })).toBe(1);
      for (const [target, source] of [
        [ana, ana],
        [ana, NOBODY],
      ] as const)
        expect((await merge(target, source).expect(400)).body).toMatchObject({
          details: [{ field: 'contactId' }],
        });
    });

    it('of both into each other at once leaves one with all', async () => {
      const [ana, bo] = await pair();
      const answers = await Promise.all([merge(ana, bo), merge(bo, ana, client.at(other.url))]);
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      await service.get(ContactMerge).recoverAll(accountScope(client.user));
      const left = listOf(await client.get('/gateway/contacts'));
      expect(left).toHaveLength(1);
      expect(left[0]?.numbers).toHaveLength(2);
    });

    it('that would exceed a limit is refused, and changes nothing', async () => {
      const [ana, bo] = await pair();
      await client
        .patch(`/gateway/contacts/${bo}`, {
          numbers: Array.from({ length: 20 }, (_, n) => ({ number: `+4477009002${10 + n}` })),
        })
        .expect(200);
      expect((await merge(ana, bo).expect(400)).body).toMatchObject({ details: [{ field: 'numbers' }] });
      expect((await read(bo)).numbers).toHaveLength(20);
      expect((await read(ana)).numbers).toHaveLength(1);
    });

    it.each(['repeated', 'completed by maintenance'])('killed at each step is %s', async (how) => {
      const steps = [
        [crashAtCall(ContactsRepository, 'merge'), 'before'],
        [crashAtCall(ContactsRepository, 'merge'), 'after'],
        [crashAtCall(ContactsRepository, 'removeMerged'), 'before'],
      ] as const;
      for (const [crash, when] of steps) {
        client = await service.newAccount();
        const [ana, bo] = await pair();
        crash(service, when);
        await merge(ana, bo).expect(500);
        if (how !== 'repeated') await service.get(ContactMerge).recoverAll(accountScope(client.user));
        await merge(ana, bo).expect(200);
        expect(await read(ana)).toMatchObject(MERGED);
        expect(await service.collection('contacts').countDocuments({ user: client.user })).toBe(1);
      }
    });

    it('whose source was hidden only is completed without what was taken meanwhile, or undone', async () => {
      const repository = service.get(ContactsRepository);
      const account = accountScope(client.user);
      const [ana, bo] = await pair();
      const [target, source] = await Promise.all([
        repository.findAny(account, new Types.ObjectId(ana)),
        repository.findAny(account, new Types.ObjectId(bo)),
      ]);
      if (!target || !source) throw new Error('They are there');
      // The target has changed since it was read.
      await client.patch(`/gateway/contacts/${ana}`, { name: 'Ana' }).expect(200);
      expect(await repository.merge(target, source, target, new Date())).toBe(false);
      await client.get(`/gateway/contacts/${bo}`).expect(404);
      await create('Cy', ['+447700900124']);
      expect(dataOf(await merge(ana, bo).expect(200))).toMatchObject({
        ...MERGED,
        numbers: [{ peerNumber: '+447700900123' }],
      });
      expect(await names('')).toEqual(['Ana', 'Cy']);
    });
  });
});
