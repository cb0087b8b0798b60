import { accountScope } from '../../src/auth/account-scope';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { ConversationProjector } from '../../src/messages/conversations/conversation-projector.service';
import { ConversationsRepository } from '../../src/messages/conversations/conversations.repository';
import { ConversationMessagesRepository } from '../../src/messages/conversations/conversation-messages.repository';
import { MessageDeletionRepository } from '../../src/messages/deletion/message-deletion.repository';
import { ErasureService } from '../../src/erasure/erasure.service';
import type { MessageJson, TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { Random } from '../support/random';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const ADA = '+447700900123';
const BOB = '+447700900124';
const NOBODY = '0123456789abcdef01234567';
/** After it a scheduler adds what is overdue, or refreshes what is due. */
const OVERDUE_MS = 75_000;

interface ConversationJson {
  number: string;
  lastMessage: {
    _id: string;
    direction: string;
    message: string;
    device: string;
    encrypted?: boolean;
    status?: string;
    errorCode?: string;
  };
  unreadCount: number;
  unanswered: boolean;
  note?: string;
}
interface PageJson {
  data: ConversationJson[];
  meta: { nextCursor: string | null; hasMore: boolean; limit: number };
}

describe('conversations', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    const environment = { APP_ROLES: 'api,scheduler', RETENTION_MESSAGES_DAYS: '30' };
    service = await TestService.start({ environment, transport: new ScriptedTransport() });
    other = await TestService.start({ environment, shared: service, transport: new ScriptedTransport() });
    for (const each of [service, other]) each.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const path = (number: string) => `/gateway/conversations/${encodeURIComponent(number)}`;
  const page = async (query = '', by = client) =>
    (await by.get(`/gateway/conversations?${query}`)).body as PageJson;
  const list = async (query = '') => (await page(query)).data;
  const get = async (number: string) => (await client.get(path(number))).body as { data: ConversationJson };
  const receive = async (sender: string, message = 'Hello', by = client, at = device) => {
    const upload = { sender, message, receivedAtInMillis: receivedAt++ };
    const answer = await by.post(`/gateway/devices/${at}/receive-sms`, upload);
    expect(answer.status).toBe(200);
    const { data } = answer.body as { data: { smsId?: string; _id?: string } };
    return data.smsId ?? data._id ?? '';
  };
  let receivedAt = Date.now() - 60_000;
  const rows = () => service.collection('conversations').find({ user: client.user }).toArray();
  const marks = async () =>
    (await service
      .collection('messages')
      .countDocuments({ user: client.user, conversationDueAt: { $exists: true } })) +
    (await service
      .collection('batches')
      .countDocuments({ user: client.user, conversationsDueAt: { $exists: true } }));
  const settled = () => eventually(marks, (count) => count === 0);
  /** No conversation waits to be refreshed; one that was created does until its messages are known to be stored. */
  const refreshed = () =>
    eventually(rows, (found) => found.every(({ refreshDueAt }) => refreshDueAt === undefined));
  const sweep = async () => {
    service.clock.advance(OVERDUE_MS);
    await other.get(ConversationProjector).sweep();
  };
  const messages = async (query: string) =>
    ((await client.get(`/gateway/messages?${query}`)).body as { data: MessageJson[] }).data;

  it('are the messages with one number, that with the newest first', async () => {
    const first = await receive('+44 7700 900123', 'x'.repeat(200));
    await receive(BOB, 'Hi');
    await client.send([ADA], { message: 'An answer', simSubscriptionId: 1 });
    await settled();
    const [ada, bob] = await list();
    expect(ada).toMatchObject({ number: ADA, unreadCount: 1, unanswered: false });
    expect(ada?.lastMessage).toMatchObject({
      direction: 'sent',
      message: 'An answer',
      device,
      simSubscriptionId: 1,
    });
    expect(bob).toMatchObject({ number: BOB, unreadCount: 1, unanswered: true });
    expect(
      (await messages(`contactNumber=${encodeURIComponent(ADA)}`)).map(({ direction }) => direction),
    ).toEqual(['sent', 'received']);
    expect((await messages('contactNumber=nobody')).length).toBe(0);
    await receive(ADA, 'y'.repeat(200));
    await settled();
    expect((await get(ADA)).data.lastMessage.message).toBe('y'.repeat(160));
    const read = await client.post(`${path(ADA)}/read`, { through: first });
    expect(read.body).toMatchObject({ data: { unreadCount: 1 } });
    expect((await client.post(`${path(ADA)}/read`)).body).toMatchObject({ data: { unreadCount: 0 } });
    // Never further back.
    await client.post(`${path(ADA)}/read`, { through: first });
    expect((await get(ADA)).data.unreadCount).toBe(0);
    expect((await list('unread=true')).map(({ number }) => number)).toEqual([BOB]);
    expect((await list('unanswered=true')).map(({ number }) => number)).toEqual([ADA, BOB]);
    await client.send([ADA, BOB]);
    await settled();
    expect(await list('unanswered=true')).toEqual([]);
  });

  it('have a note, and are searched by it and by the number', async () => {
    await receive(ADA);
    await receive('BANK');
    await settled();
    const answer = await client.patch(path(ADA), { note: 'Likes *stars*\nand lines' });
    expect(answer.body).toMatchObject({ data: { note: 'Likes *stars*\nand lines' } });
    expect((await list('search=*STARS*')).map(({ number }) => number)).toEqual([ADA]);
    expect((await list('search=%2B44%207700')).map(({ number }) => number)).toEqual([ADA]);
    expect((await list('search=bank')).map(({ number }) => number)).toEqual(['BANK']);
    expect(await list('search=.')).toEqual([]);
    expect((await client.patch(path(ADA), {})).body).toMatchObject({
      data: { note: expect.any(String) as string },
    });
    for (const note of [null, '']) {
      await client.patch(path(ADA), { note: 'again' });
      expect((await client.patch(path(ADA), { note })).body).not.toHaveProperty('data.note');
    }
  });

  it('are listed in pages, and by device', async () => {
    const second = await client.newDevice();
    const numbers = Array.from({ length: 7 }, (_, index) => `+44770090010${index}`);
    await client.send(numbers, { deviceId: device });
    await receive('+447700900103', 'Hi', client, second);
    await settled();
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const { data, meta }: PageJson = await page(`limit=3&cursor=${cursor}`);
      seen.push(...data.map(({ number }) => number));
      cursor = meta.nextCursor;
    } while (cursor);
    expect(seen[0]).toBe('+447700900103');
    expect(seen.sort()).toEqual(numbers);
    expect((await list(`deviceIds=${second}`)).map(({ number }) => number)).toEqual(['+447700900103']);
    expect(await list(`deviceIds=${device}`)).toHaveLength(6);
  });

  it('show encrypted messages as such', async () => {
    await client.send([ADA]);
    await settled();
    await service
      .collection('messages')
      .updateMany(
        { user: client.user },
        { $set: { encrypted: true, message: '', encryptedMessage: 'v1:AAAA' } },
      );
    const { lastMessage } = (await get(ADA)).data;
    expect([lastMessage.encrypted, lastMessage.message]).toEqual([true, '']);
  });

  it.each([
    ['GET', '?limit=x', {}, 'limit'],
    ['GET', '?unread=maybe', {}, 'unread'],
    ['GET', '?unanswered=maybe', {}, 'unanswered'],
    ['GET', '?cursor=x', {}, 'cursor'],
    ['GET', '?deviceIds=x', {}, 'deviceIds'],
    ['PATCH', '', { note: 5 }, 'note'],
    ['PATCH', '', { note: 'x'.repeat(2_001) }, 'note'],
    ['POST', '/read', { through: 'x' }, 'through'],
    ['POST', '/read', { through: NOBODY }, 'through'],
  ])('reject %s %s %j', async (method, rest, body, field) => {
    await receive(ADA);
    await settled();
    const before = await refreshed();
    const answer =
      method === 'GET'
        ? await client.get(`/gateway/conversations${rest}`)
        : method === 'PATCH'
          ? await client.patch(path(ADA), body)
          : await client.post(path(ADA) + rest, body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    expect(await rows()).toEqual(before);
  });

  it('of other accounts do not exist', async () => {
    await receive(ADA);
    await settled();
    const stranger = await service.newAccount();
    expect((await page('', stranger)).data).toEqual([]);
    for (const answer of [
      await stranger.get(path(ADA)),
      await stranger.patch(path(ADA), { note: 'x' }),
      await stranger.post(`${path(ADA)}/read`),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { code: 'CONVERSATION_NOT_FOUND' }]);
  });

  it('are neither begun nor moved by messages to more than 20 recipients', async () => {
    await receive(ADA, 'A question');
    await receive(BOB, 'Hi');
    await settled();
    const others = Array.from({ length: 20 }, (_, n) => `+44770090${1_000 + n}`);
    await client.send([ADA, ...others], { message: 'News' });
    await settled();
    expect(await list('unanswered=true')).toMatchObject([
      { number: BOB },
      { number: ADA, unanswered: true, lastMessage: { message: 'A question' } },
    ]);
    expect(await messages(`contactNumber=${encodeURIComponent(ADA)}`)).toMatchObject([
      { message: 'News' },
      { message: 'A question' },
    ]);
    expect((await client.get(path(others[0] ?? ''))).status).toBe(404);
    // It is not read again from them either.
    const answer = await receive(ADA, 'An answer');
    await client.delete(`/gateway/messages/${answer}`);
    await settled();
    expect((await get(ADA)).data.lastMessage.message).toBe('A question');
    await client.send(others, { message: 'To 20' });
    await settled();
    expect(await list('limit=100')).toHaveLength(22);
  });

  it('of two accounts with the same numbers are separate, also when they are added together', async () => {
    const accounts = [client, await service.newAccount()] as const;
    const [, second] = accounts;
    await second.newDevice();
    await client.send([ADA], { message: 'An earlier one' });
    await settled();
    const add = crashAtCall(ConversationsRepository, 'merge');
    const { died } = add(service, 'before');
    await Promise.all(accounts.map((each) => each.send([ADA, BOB], { message: each.user.toHexString() })));
    await died;
    await eventually(
      async () => {
        await sweep();
        return (await page('', second)).data;
      },
      ({ length }) => length === 2,
    );
    for (const each of accounts) {
      const { data } = await page('', each);
      const shown = data.map(({ number, lastMessage }) => `${number} ${lastMessage.message}`).sort();
      expect(shown).toEqual([ADA, BOB].map((number) => `${number} ${each.user.toHexString()}`));
    }
  });

  const ADDITIONS = [
    ['a received message', () => receive(ADA)],
    ['a send', () => client.send([ADA])],
  ] as const;
  describe.each(ADDITIONS)('after a crash while %s is added', (_, add) => {
    const steps = [
      crashAtCall(ConversationMessagesRepository, 'listPending'),
      crashAtCall(ConversationsRepository, 'merge'),
      crashAtCall(ConversationMessagesRepository, 'finish'),
    ];
    const cases = steps.flatMap((step, index) =>
      (['before', 'after'] as const).map((when) => [index, when, step] as const),
    );
    it.each(cases)('at step %i, %s it: a scheduler of another process adds it', async (_, when, step) => {
      const { died } = step(service, when);
      await add();
      await died;
      await eventually(
        async () => {
          await sweep();
          return [await marks(), (await rows()).map(({ number }) => number as string)] as const;
        },
        ([count, numbers]) => count === 0 && numbers.includes(ADA),
      );
      const { unreadCount, lastMessage } = (await get(ADA)).data;
      expect(unreadCount).toBe(lastMessage.direction === 'received' ? 1 : 0);
    });
  });

  it('show why the newest message was not sent, such as that it was cancelled', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const batch = await client.send([ADA], { scheduledAt });
    await settled();
    expect((await client.post(`/gateway/batches/${batch}/cancel`)).status).toBe(200);
    await eventually(
      async () => (await get(ADA)).data.lastMessage,
      ({ status, errorCode }) => status === 'failed' && errorCode === 'CANCELLED',
    );
  });

  describe('when messages are deleted', () => {
    const remove = (id: string) => client.delete(`/gateway/messages/${id}`);

    it('show what is left, and disappear with the last one', async () => {
      const [first, second] = [await receive(ADA, 'one'), await receive(ADA, 'two')];
      await settled();
      await client.patch(path(ADA), { note: 'A note' });
      await remove(second);
      expect((await list())[0]).toMatchObject({
        unreadCount: 1,
        lastMessage: { _id: first },
        note: 'A note',
      });
      await remove(first);
      expect(await list()).toEqual([]);
      expect(await rows()).toEqual([]);
      expect((await client.get(path(ADA))).status).toBe(404);
      await receive(ADA);
      expect(
        await eventually(
          () => list(),
          ({ length }) => length === 1,
        ),
      ).toMatchObject([{ unreadCount: 1 }]);
    });

    it.each([
      ['before', crashAtCall(MessageDeletionRepository, 'erase')],
      ['after', crashAtCall(MessageDeletionRepository, 'erase')],
      ['before', crashAtCall(ConversationsRepository, 'replace')],
      ['after', crashAtCall(ConversationsRepository, 'replace')],
    ] as const)('and the process dies (%s), a scheduler corrects them', async (when, step) => {
      const [first, second] = [await receive(ADA, 'one'), await receive(ADA, 'two')];
      await settled();
      step(service, when);
      expect((await remove(second)).status).toBe(500);
      await sweep();
      const left = (await messages('contactNumber=%2B447700900123')).map(({ _id }) => _id);
      expect(left.length).toBeLessThanOrEqual(2);
      const [row] = await rows();
      expect(String(row?.lastMessage)).toBe(left[0]);
      expect(row).not.toHaveProperty('refreshDueAt');
      for (const id of [first, second]) await remove(id);
      expect(await rows()).toEqual([]);
    });

    it('while one is added late, a read corrects them', async () => {
      const kept = await receive(ADA, 'one');
      await settled();
      const paused = pauseNextCall(service, ConversationsRepository, 'merge');
      const late = await receive(ADA, 'two');
      await paused.reached;
      await remove(late);
      paused.release(false);
      await settled();
      expect(await list()).toMatchObject([{ unreadCount: 1, lastMessage: { _id: kept } }]);
      expect(String((await rows())[0]?.lastMessage)).toBe(kept);
    });

    it.each([[false], [true]])(
      'while the first one is added late, nothing is left of it, also if the process dies: %s',
      async (dies) => {
        const paused = pauseNextCall(service, ConversationsRepository, 'merge');
        const late = await receive(ADA, 'one');
        await paused.reached;
        await remove(late);
        paused.release(dies);
        if (dies) {
          await eventually(rows, ({ length }) => length === 1);
          await sweep();
        } else await settled();
        await eventually(rows, ({ length }) => length === 0);
      },
    );

    it('while another one is added, it is not lost with the conversation', async () => {
      const first = await receive(ADA, 'one');
      await settled();
      const repository = service.get(ConversationsRepository) as unknown as {
        findIds: (changes: unknown) => Promise<unknown>;
      };
      const { findIds } = repository;
      repository.findIds = async (changes) => {
        repository.findIds = findIds;
        const found = await findIds.call(repository, changes);
        // As if a deletion that has read the messages before the second one was stored removed it only now.
        await service.collection('conversations').deleteOne({ user: client.user });
        return found;
      };
      const second = await receive(ADA, 'two');
      await settled();
      expect(await list()).toMatchObject([{ unreadCount: 2, lastMessage: { _id: second } }]);
      await refreshed();
      for (const id of [first, second]) await remove(id);
    });

    it('with their device, they follow', async () => {
      const second = await client.newDevice();
      const kept = await receive(ADA, 'kept');
      await receive(ADA, 'gone', client, second);
      await receive(BOB, 'gone', client, second);
      await settled();
      expect((await client.delete(`/gateway/devices/${second}?deleteMessages=true`)).status).toBe(200);
      expect(await list()).toMatchObject([{ number: ADA, unreadCount: 1, lastMessage: { _id: kept } }]);
      await sweep();
      expect((await rows()).map(({ number }) => number as string)).toEqual([ADA]);
    });

    it('with their device, nothing is left of one that is created meanwhile', async () => {
      const second = await client.newDevice();
      const paused = pauseNextCall(service, ConversationsRepository, 'merge');
      await receive(ADA, 'gone', client, second);
      await paused.reached;
      const repository = service.get(ConversationsRepository) as unknown as {
        markDue: (...values: unknown[]) => Promise<void>;
      };
      const { markDue } = repository;
      repository.markDue = async (...values) => {
        repository.markDue = markDue;
        await markDue.apply(repository, values);
        paused.release(false);
        await settled();
      };
      expect((await client.delete(`/gateway/devices/${second}?deleteMessages=true`)).status).toBe(200);
      await sweep();
      expect(await rows()).toEqual([]);
    });

    it('with a device that is deleted without its messages, they stay', async () => {
      const second = await client.newDevice();
      await receive(ADA, 'first');
      await receive(ADA, 'second', client, second);
      await receive(BOB, 'third', client, second);
      await settled();
      expect((await client.delete(`/gateway/devices/${second}`)).status).toBe(200);
      await service.get(ConversationProjector).refreshDeletedDevices(accountScope(client.user));
      expect(await list()).toMatchObject([
        { number: BOB, unreadCount: 1, lastMessage: { message: 'third' } },
        { number: ADA, unreadCount: 2, lastMessage: { message: 'second' } },
      ]);
    });

    it('by retention, they follow', async () => {
      await receive(ADA, 'old');
      await receive(BOB, 'old');
      await settled();
      service.clock.advance(40 * 86_400_000);
      await receive(BOB, 'new');
      await settled();
      await service.collection('messages').updateMany({ user: client.user }, { $set: { outbox: [] } });
      await service
        .get(MessageRetention)
        .removeCounted(accountScope(client.user), new Date(Date.now() + 60_000));
      expect((await rows()).map(({ number }) => number as string)).toEqual([BOB]);
      expect(await list()).toMatchObject([{ number: BOB, unreadCount: 1, lastMessage: { message: 'new' } }]);
    });

    it('with the account, nothing is left', async () => {
      await receive(ADA);
      await settled();
      await client.post('/gateway/views', { name: 'All', query: '' });
      await service.get(ErasureService).removeData(accountScope(client.user));
      expect(await rows()).toEqual([]);
      expect(await service.collection('views').countDocuments({ user: client.user })).toBe(0);
    });
  });

  it.each([1, 2, 3])('count unread messages exactly after any interleaving (%i)', async (seed) => {
    const random = new Random(seed);
    const numbers = [ADA, BOB, 'BANK'];
    const clients = [client, client.at(other.url)];
    const received = new Map<string, { id: string; isRead: boolean }[]>(
      numbers.map((number) => [number, []]),
    );
    for (let step = 0; step < 40; step++) {
      const [number, by] = [random.pick(numbers), random.pick(clients)];
      const thread = received.get(number) ?? [];
      const kind = random.int(0, 9);
      if (kind < 4) thread.push({ id: await receive(number, `text ${step}`, by), isRead: false });
      else if (kind < 5) await by.send([number.startsWith('+') ? number : ADA]);
      else if (thread.length === 0) continue;
      else if (kind < 7) {
        const [gone] = thread.splice(random.int(0, thread.length - 1), 1);
        expect((await by.delete(`/gateway/messages/${gone?.id ?? ''}`)).status).toBe(200);
      } else {
        const through = random.int(0, thread.length - 1);
        const body = kind === 9 ? {} : { through: thread[through]?.id };
        expect((await by.post(`${path(number)}/read`, body)).status).toBe(200);
        for (const [index, each] of thread.entries()) each.isRead ||= kind === 9 || index <= through;
      }
      if (random.chance(0.1)) await sweep();
    }
    await settled();
    const expected = numbers.map(
      (number) => (received.get(number) ?? []).filter(({ isRead }) => !isRead).length,
    );
    const shown = new Map((await list()).map(({ number, unreadCount }) => [number, unreadCount]));
    expect(numbers.map((number) => shown.get(number) ?? 0)).toEqual(expected);
    const unread = numbers.filter((_, index) => expected[index]);
    expect((await list('unread=true')).map(({ number }) => number).sort()).toEqual(unread.sort());
    const unanswered = (await list()).filter((each) => each.unanswered).map(({ number }) => number);
    expect((await list('unanswered=true')).map(({ number }) => number)).toEqual(unanswered);
    for (const { number, lastMessage } of await list())
      expect(lastMessage._id).toBe((await messages(`contactNumber=${encodeURIComponent(number)}`))[0]?._id);
  });

  it('are right after concurrent messages, reads and deletions at two processes', async () => {
    const ids: string[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const by = index % 2 ? client : client.at(other.url);
        const id = await receive(ADA, `text ${index}`, by);
        if (index % 3 === 0) await by.delete(`/gateway/messages/${id}`);
        else ids.push(id);
        if (index % 7 === 0) await by.get(path(ADA));
      }),
    );
    await settled();
    const [conversation] = await list();
    expect(conversation?.unreadCount).toBe(ids.length);
    expect(conversation?.lastMessage._id).toBe((await messages('limit=1'))[0]?._id);
  });
});
