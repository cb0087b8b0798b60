import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { ContactRecovery } from '../../src/contacts/contact-recovery.service';
import { ContactsRepository } from '../../src/contacts/store/contacts.repository';
import { ContactListsRepository } from '../../src/contacts/lists/contact-lists.repository';
import { ConversationsRepository } from '../../src/messages/conversations/conversations.repository';
import { MessageDeletionRepository } from '../../src/messages/deletion/message-deletion.repository';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const ANA = '+447700900123';
const BO = '+447700900124';
const COLLECTIONS = [
  'contacts',
  'messages',
  'batches',
  'conversations',
  'suppressions',
  'consents',
  'autoreplies',
];

type Json = Record<string, unknown>;
type Answer = Json & { readonly _id: string; readonly smsBatchId: string };

describe('contacts and their conversations', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api' },
      transport: new ScriptedTransport(),
    });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const dataOf = ({ body }: { body: unknown }) => (body as { data: Answer }).data;
  const listOf = ({ body }: { body: unknown }) => (body as { data: Answer[] }).data;
  const receive = (sender: string, message = 'Hello') =>
    client
      .post(`/gateway/devices/${device}/receive-sms`, {
        sender,
        message,
        receivedAtInMillis: service.clock.now().getTime(),
        fingerprint: randomUUID(),
      })
      .expect(200);
  const conversation = (number: string) => client.get(`/gateway/conversations/${encodeURIComponent(number)}`);
  const create = async (name: string, numbers: string[]) =>
    dataOf(
      await client
        .post('/gateway/contacts', { name, numbers: numbers.map((number) => ({ number })) })
        .expect(201),
    )._id;
  const send = async (recipients: string[], status = 'DELIVERED', message = 'A secret text') => {
    const batch = await client.send(recipients, { deviceId: device, message });
    for (const { _id } of (await client.batch(device, batch)).messages)
      if (status) await client.report(device, _id, status).expect(200);
    return batch;
  };

  it('are shown by their names, and found by them', async () => {
    for (const number of [ANA, BO]) await receive(number);
    await Promise.all([conversation(ANA).expect(200), conversation(BO).expect(200)]);
    const ana = await create('Ana Marín', ['07700 900199', '+44 7700 900123']);
    const contact = { _id: ana, name: 'Ana Marín' };
    expect(dataOf(await conversation(ANA))).toMatchObject({ number: ANA, contact });
    expect(dataOf(await conversation(BO))).not.toHaveProperty('contact');
    const list = async (query = '') =>
      listOf(await client.get(`/gateway/conversations?${query}`).expect(200)).map((each) => [
        each.number,
        each.contact,
      ]);
    expect((await list()).toSorted()).toEqual([
      [ANA, contact],
      [BO, undefined],
    ]);
    expect(await list('search=marin')).toEqual([[ANA, contact]]);
    await client.delete(`/gateway/contacts/${ana}`).expect(200);
    expect(await list('search=marin')).toEqual([]);
    expect(dataOf(await conversation(ANA).expect(200))).not.toHaveProperty('contact');
  });

  it('are created from a conversation, whose note becomes theirs', async () => {
    await receive(ANA);
    await conversation(ANA);
    const path = `/gateway/conversations/${encodeURIComponent(ANA)}`;
    await client.patch(path, { note: 'Calls after five' }).expect(200);
    crashAtCall(ConversationsRepository, 'removeNote')(service, 'before');
    await client.post(`${path}/contact`, { name: 'Ana' }).expect(500);
    // The contact is there, and the note still is, too.
    expect(dataOf(await conversation(ANA))).toMatchObject({
      note: 'Calls after five',
      contact: { name: 'Ana' },
    });
    const taken = await client.post(`${path}/contact`, { name: 'Ana' }).expect(400);
    const { contact } = taken.body as { contact: { _id: string } };
    await client.delete(`/gateway/contacts/${contact._id}`).expect(200);
    const created = await client
      .post(`${path}/contact`, { name: 'Ana', notes: 'New', tags: ['a'] })
      .expect(201);
    expect(dataOf(created)).toMatchObject({
      name: 'Ana',
      numbers: [{ number: ANA, peerNumber: ANA }],
      notes: 'Calls after five\n\nNew',
      tags: ['a'],
    });
    expect(dataOf(await conversation(ANA))).not.toHaveProperty('note');
    expect((await client.post('/gateway/conversations/999/contact', {}).expect(404)).body).toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
  });

  describe('an erasure', () => {
    const dump = async () => {
      const stored = await Promise.all(
        COLLECTIONS.map((name) => service.collection(name).find({ user: client.user }).toArray()),
      );
      return JSON.stringify(stored);
    };
    const block = (number: string) => client.post('/gateway/suppressions', { number, reason: 'She said so' });

    it('leaves no byte of number, name and texts but the key of the block, which stays in force', async () => {
      const settings = { enabled: true, senderName: 'Shop', contact: 'shop@example.com' };
      await client.patch('/gateway/consent-settings', settings).expect(200);
      await send([ANA]);
      await send([ANA, BO], 'DELIVERED', 'To both');
      await receive(ANA, 'Stop');
      const reply = await service.collection('autoreplies').findOne({ user: client.user, number: ANA });
      await client.post(`/gateway/batches/${String(reply?.batch)}/cancel`).expect(200);
      await receive(BO, 'Hi');
      await block('+447700900125').expect(201);
      const ana = await create('Ana Marín', [ANA, '+447700900125']);
      await client.delete(`/gateway/contacts/${ana}?erase=true`).expect(200);
      const left = await dump();
      for (const text of ['900123', '900125', 'Ana', 'Marin', 'marin', 'secret', 'Stop', 'She said'])
        expect([text, left.includes(text)]).toEqual([text, false]);
      for (const text of [BO, 'To both', 'Hi']) expect([text, left.includes(text)]).toEqual([text, true]);
      await conversation(ANA).expect(404);
      const refused = await client.post('/gateway/send-sms', { message: 'Hello', recipients: [ANA] });
      expect([refused.status, refused.body]).toMatchObject([400, { code: 'RECIPIENT_SUPPRESSED' }]);
      await client.delete(`/gateway/contacts/${ana}?erase=true`).expect(404);
    });

    it('waits for messages that are not settled, and changes nothing until then', async () => {
      await send([ANA], '');
      await send([ANA]);
      const ana = await create('Ana', [ANA]);
      const marked = (collection: string, mark: string) =>
        service.collection(collection).countDocuments({ user: client.user, [mark]: { $exists: true } });
      // Otherwise they become part of their conversation meanwhile.
      await eventually(
        async () =>
          (await marked('batches', 'conversationsDueAt')) + (await marked('conversations', 'refreshDueAt')),
        (left) => left === 0,
      );
      const before = await dump();
      const refused = await client.delete(`/gateway/contacts/${ana}?erase=true`);
      expect([refused.status, refused.body]).toMatchObject([400, { code: 'CONTACT_HAS_UNSETTLED_MESSAGES' }]);
      expect(await dump()).toBe(before);
    });

    it.each<keyof MessageDeletionRepository>(['listWith', 'eraseMany'])(
      'killed before %s is repeated',
      async (step) => {
        await send([ANA, BO]);
        const ana = await create('Ana', [ANA]);
        crashAtCall(MessageDeletionRepository, step)(service, 'before');
        await client.delete(`/gateway/contacts/${ana}?erase=true`).expect(500);
        await client.delete(`/gateway/contacts/${ana}?erase=true`).expect(200);
        expect((await dump()).includes('900123')).toBe(false);
      },
    );
  });

  it('that are half merged, and lists that are half deleted, are found and completed by maintenance', async () => {
    const account = accountScope(client.user);
    const [ana, bo] = [await create('Ana', [ANA]), await create('Bo', [BO])];
    const list = dataOf(await client.post('/gateway/lists', { name: 'News' }).expect(201))._id;
    const recovery = service.get(ContactRecovery);
    expect(await recovery.listActive([client.user])).toEqual([]);
    crashAtCall(ContactsRepository, 'removeMerged')(service, 'before');
    await client.post(`/gateway/contacts/${ana}/merge`, { contactId: bo }).expect(500);
    await service.get(ContactListsRepository).hide(account, new Types.ObjectId(list), new Date());
    expect(await recovery.listActive([client.user])).toEqual([client.user]);
    await recovery.maintain(account);
    expect(await recovery.listActive([client.user])).toEqual([]);
    expect(dataOf(await client.get(`/gateway/contacts/${ana}`))).toMatchObject({
      numbers: [{ number: ANA }, { number: BO }],
    });
  });
});
