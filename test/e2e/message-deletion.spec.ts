import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MessageDeletionRepository } from '../../src/messages/deletion/message-deletion.repository';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { TotalsService } from '../../src/totals/totals.service';
import { TestClient } from '../support/client';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const HOUR = 3_600_000;

describe('deleting', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler' },
      transport: new ScriptedTransport(),
    });
    service.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const deleteMessage = (id: string, by = client) => by.delete(`/gateway/messages/${id}`);
  const list = async (query = '') => {
    const { body } = (await client.get(`/gateway/messages?limit=100${query}`)) as {
      body: { data: { _id: string }[]; meta: { total: number } };
    };
    return [body.data.map(({ _id }) => _id), body.meta.total] as const;
  };
  const stored = (id: string) => service.collection('messages').findOne({ _id: new Types.ObjectId(id) });
  const stats = async () => {
    const { body } = (await client.get('/gateway/stats')) as {
      body: { data: { totalSentSMSCount: number; totalReceivedSMSCount: number } };
    };
    return [body.data.totalSentSMSCount, body.data.totalReceivedSMSCount];
  };
  const sms = (message: string, sender = '+4917000000') => ({
    sender,
    message,
    receivedAtInMillis: Date.now(),
  });
  async function receive(upload: object): Promise<string> {
    const answer = await client.post(`/gateway/devices/${device}/receive-sms`, upload);
    const body: unknown = answer.body;
    return (
      (body as { data: { smsId?: string; _id?: string } }).data.smsId ??
      (body as { data: { _id: string } }).data._id
    );
  }
  async function send(recipients: string[], statuses: string[]): Promise<{ batch: string; ids: string[] }> {
    const batch = await client.send(recipients, { deviceId: device, message: 'A secret text' });
    const ids = (await client.batch(device, batch)).messages.map(({ _id }) => _id);
    for (const [index, id] of ids.entries())
      if (statuses[index]) await client.report(device, id, statuses[index]);
    return { batch, ids };
  }
  const removeCounted = async () => {
    await sleep(5);
    const account = accountScope(client.user);
    const closed = await service.get(TotalsService).close(account, new Date());
    await service.get(MessageRetention).removeCounted(account, closed);
  };

  describe('a message', () => {
    it('removes its text and number at once, and hides it from every read', async () => {
      const { batch, ids } = await send(['+4915111111111', '+4915222222222'], ['SENT', 'DELIVERED']);
      const [id = '', kept] = ids;
      expect((await deleteMessage(id)).body).toEqual({ data: { success: true } });
      expect(await list()).toEqual([[kept], 1]);
      for (const query of [
        '&direction=sent',
        `&smsBatchId=${batch}`,
        '&search=secret',
        '&status=sent&order=asc',
      ])
        expect((await list(query))[0]).not.toContain(id);
      expect((await list('&recipient=4915111111111'))[0]).toEqual([]);
      expect((await client.get(`/gateway/devices/${device}/sms/${id}`)).status).toBe(404);
      expect((await client.get(`/gateway/messages/${id}`)).status).toBe(404);
      expect((await client.get(`/gateway/messages/${kept}`)).status).toBe(200);
      const found = await client.batch(device, batch);
      expect(found.messages.map(({ _id }) => _id)).toEqual([kept]);
      expect(found.batch).toMatchObject({ successCount: 2, recipientPreview: '+4915222222222' });
      const document = await stored(id);
      expect(JSON.stringify(document)).not.toMatch(/secret|1511111/);
      expect(await stats()).toEqual([2, 0]);
    });

    it.each(['listRecipients', 'replaceRecipientPreview'] as const)(
      'keeps no number of a message that is deleted by another request before %s',
      async (method) => {
        const numbers = ['+4915111111111', '+4915222222222', '+4915333333333', '+4915444444444'];
        const { batch, ids } = await send(numbers, ['SENT', 'SENT', 'SENT', 'SENT']);
        const preview = async () =>
          (await service.collection('batches').findOne({ _id: new Types.ObjectId(batch) }))
            ?.recipientPreview as string | undefined;
        const deleteBoth = async (first = '', second = '') => {
          const paused = pauseNextCall(service, MessageDeletionRepository, method);
          const deleting = deleteMessage(first).then(({ status }) => status);
          await paused.reached;
          expect((await deleteMessage(second)).status).toBe(200);
          paused.release(false);
          expect(await deleting).toBe(200);
        };
        await deleteBoth(ids[0], ids[1]);
        expect(await preview()).toBe('+4915333333333, +4915444444444');
        await deleteBoth(ids[2], ids[3]);
        expect(await preview()).toBeUndefined();
      },
    );

    it('removes the texts of a batch with its last message', async () => {
      const { batch, ids } = await send(['+4915111111111', '+4915222222222'], ['SENT', 'FAILED']);
      for (const id of ids) await deleteMessage(id);
      expect((await client.get(`/gateway/devices/${device}/sms-batch/${batch}`)).status).toBe(404);
      const document = await service.collection('batches').findOne({ _id: new Types.ObjectId(batch) });
      expect(JSON.stringify(document)).not.toMatch(/secret|4915/);
      service.clock.advance(25 * HOUR);
      await removeCounted();
      expect(await service.collection('batches').countDocuments({ user: client.user })).toBe(0);
      expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
      expect(await stats()).toEqual([1, 0]);
    });

    it('does not bring it back when the phone uploads it again within a day', async () => {
      const upload = sms('A secret text');
      const id = await receive(upload);
      expect((await deleteMessage(id)).status).toBe(200);
      await removeCounted();
      expect(await receive(upload)).toBe(id);
      expect([await list(), await stats()]).toEqual([
        [[], 0],
        [0, 1],
      ]);
      service.clock.advance(25 * HOUR);
      await removeCounted();
      expect(await stored(id)).toBeNull();
      expect(await stats()).toEqual([0, 1]);
    });

    it.each(['pending', 'dispatched'])('is refused while it is %s, and names what to do', async (status) => {
      const { batch, ids } = await send(['+4915111111111'], []);
      if (status === 'dispatched') await dispatchWave(service, batch);
      const answer = await deleteMessage(ids[0] ?? '');
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'MESSAGE_UNSETTLED' }]);
      expect((answer.body as { message: string }).message).toMatch(
        new RegExp(`${status}: cancel it, or wait`),
      );
      expect((await list())[1]).toBe(1);
    });

    it('is idempotent, and answers 404 to ids of other accounts', async () => {
      const id = await receive(sms('one'));
      const stranger = await service.newAccount();
      expect((await deleteMessage(id, stranger)).status).toBe(404);
      expect((await deleteMessage('nonsense')).status).toBe(400);
      expect([(await deleteMessage(id)).status, (await deleteMessage(id)).status]).toEqual([200, 200]);
    });

    it('still counts reports of the phone, which raise no event', async () => {
      const { ids } = await send(['+4915111111111'], ['odd']);
      const [id = ''] = ids;
      const reports = ['SENT', 'DELIVERED'].map((status) => client.report(device, id, status));
      await Promise.all([deleteMessage(id), ...reports]);
      await client.report(device, id, 'DELIVERED');
      expect(await stats()).toEqual([1, 0]);
      const other = await send(['+4915111111111'], ['odd']);
      await deleteMessage(other.ids[0] ?? '');
      expect((await client.report(device, other.ids[0] ?? '', 'SENT')).status).toBe(200);
      expect(await stats()).toEqual([2, 0]);
      expect(await stored(other.ids[0] ?? '')).toMatchObject({ status: 'sent', outbox: [] });
      const fields = { errorCode: '4', errorMessage: 'No route to +4915111111111' };
      await client.report(device, other.ids[0] ?? '', 'FAILED', fields).expect(200);
      expect(await stored(other.ids[0] ?? '')).toMatchObject({ errorCode: '4' });
      expect(await stored(other.ids[0] ?? '')).not.toHaveProperty('errorMessage');
    });
  });

  describe('a device with its messages', () => {
    const deleteDevice = (query = '?deleteMessages=true') =>
      client.delete(`/gateway/devices/${device}${query}`);

    it('removes their texts and numbers, and keeps the totals of the account', async () => {
      await send(['+4915111111111', '+4915222222222'], ['SENT', 'FAILED']);
      await receive(sms('A secret text'));
      expect((await deleteDevice()).body).toEqual({ data: { success: true } });
      const messages = await service.collection('messages').find({ user: client.user }).toArray();
      const batches = await service.collection('batches').find({ user: client.user }).toArray();
      expect(JSON.stringify([messages, batches])).not.toMatch(/secret|4915|4917/);
      expect(await list()).toEqual([[], 0]);
      expect(await stats()).toEqual([1, 1]);
      service.clock.advance(25 * HOUR);
      await removeCounted();
      expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
      expect(await stats()).toEqual([1, 1]);
    });

    it('is refused while messages are pending or dispatched', async () => {
      await send(['+4915111111111'], []);
      const answer = await deleteDevice();
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'DEVICE_HAS_UNSETTLED_MESSAGES' }]);
      expect((await client.get(`/gateway/devices/${device}`)).status).toBe(200);
      expect((await deleteDevice('?deleteMessages=maybe')).status).toBe(400);
      expect((await deleteDevice('')).status).toBe(200);
    });

    it('is completed by retention when the process dies', async () => {
      const id = await receive(sms('A secret text'));
      await service
        .collection('devices')
        .updateOne(
          { _id: new Types.ObjectId(device) },
          { $set: { deletedAt: service.clock.now(), deletesMessages: true } },
        );
      await service.get(MessageRetention).maintain(accountScope(client.user), new Date());
      expect(await stored(id)).toMatchObject({ message: '', deletedAt: expect.any(Date) as Date });
    });
  });
});
