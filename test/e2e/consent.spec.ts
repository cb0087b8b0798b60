import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { ConsentRecordsRepository } from '../../src/consent/records/consent-records.repository';
import { SuppressionsRepository } from '../../src/consent/suppressions/suppressions.repository';
import { ErasureService } from '../../src/erasure/erasure.service';
import { CancellationRepository } from '../../src/gateway/cancellation/cancellation.repository';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { BillingService } from '../../src/billing/billing.service';
import { BatchCancellationsRepository } from '../../src/gateway/cancellation/batch-cancellations.repository';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { TestClient } from '../support/client';
import { countStoredDocuments } from '../support/count-stored-documents';
import { untilErased } from '../support/until-erased';
import { crashAtCall, type CrashPoint } from '../support/crash-at-call';
import { signPost } from '../support/smsgate/hook-poster';
import { SmsGateSite } from '../support/smsgate/smsgate-site';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const NUMBER = '+447700900123';
const OTHER = '+447700900124';

type Json = Record<string, unknown>;
interface ListJson {
  readonly data: Json[];
  readonly meta: { readonly nextCursor: string | null };
}

describe('consent', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  // No worker runs: what is sent waits.
  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' } });
    service.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const upload = (message: string, fields: Json = {}, to = device) =>
    client.post(`/gateway/devices/${to}/receive-sms`, {
      sender: NUMBER,
      message,
      receivedAtInMillis: service.clock.now().getTime(),
      fingerprint: randomUUID(),
      ...fields,
    });
  const list = async (path: string, of = client) => ((await of.get(path).expect(200)).body as ListJson).data;
  const suppressions = (query = '') => list(`/gateway/suppressions${query}`);
  const consents = (query = '') => list(`/gateway/consents${query}`);
  const statesOf = async (query = '') => (await suppressions(query)).map(({ state }) => state);
  const settings = (patch: Json) => client.patch('/gateway/consent-settings', patch).expect(200);
  const messagesOf = async (batch: string) => (await client.batch(device, batch)).messages;
  const outcomesOf = async (batch: string) =>
    Object.fromEntries(
      (await messagesOf(batch)).map(({ recipient, status, errorCode }) => [recipient, errorCode ?? status]),
    );
  const used = async () =>
    Number((await service.collection('usages').findOne({ _id: client.user }))?.dayCount ?? 0);
  const receivedTexts = () =>
    service.collection('messages').countDocuments({ user: client.user, direction: 'received' });
  const ago = (ms: number) => service.clock.now().getTime() - ms;

  describe('a STOP', () => {
    it('blocks the number, fails what waits for it, refunds that, and is then stored', async () => {
      const batch = await client.send([NUMBER, OTHER]);
      const later = await client.send([NUMBER], { scheduledAt: new Date(ago(-DAY)).toISOString() });
      const before = await used();
      await upload('Stop!').expect(200);
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'pending' });
      expect(await outcomesOf(later)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      expect(await used()).toBe(before); // one is refunded, and the text counts
      const usage = await service.collection('usages').findOne({ _id: client.user });
      expect(Object.values((usage?.days ?? {}) as Record<string, number>)).toEqual([0]);
      const [block, ...others] = await suppressions();
      expect(others).toEqual([]);
      expect(block).toMatchObject({
        number: NUMBER,
        state: 'out',
        covers: 'undeclared',
        source: 'keyword',
        words: 'Stop!',
      });
      const [record] = await consents();
      expect(record).toMatchObject({ number: NUMBER, state: 'out', words: 'Stop!', deviceId: device });
      const text = await service.collection('messages').findOne({ user: client.user, direction: 'received' });
      expect([block?.messageId, record?.messageId]).toEqual([String(text?._id), String(text?._id)]);
      const failed = await service
        .collection('messages')
        .findOne({ user: client.user, errorCode: 'SUPPRESSED' });
      expect(failed).toMatchObject({ raised: ['MESSAGE_FAILED'], outbox: [{ event: 'MESSAGE_FAILED' }] });
    });

    it('is counted apart from failures, and explained', async () => {
      const batch = await client.send([NUMBER, OTHER]);
      await upload('STOP');
      expect((await client.batch(device, batch)).batch).toMatchObject({
        failureCount: 1,
        suppressedCount: 1,
        cancelledCount: 0,
      });
      expect((await client.batch(device, batch)).batch).not.toHaveProperty('error');
      const failed = (await messagesOf(batch)).find(({ status }) => status === 'failed');
      const explanation = await client.get(`/gateway/messages/${failed?._id ?? ''}/explanation`).expect(200);
      const { steps } = (explanation.body as { data: { steps: { code: string; text: string }[] } }).data;
      const step = steps.find(({ code }) => code === 'suppressed');
      expect(step).toMatchObject({ facts: { source: 'keyword', words: 'STOP', code: 'SUPPRESSED' } });
      expect(step?.text).toContain('the recipient wrote "STOP" on ');
      expect(step?.text).toContain('purpose transactional');
      const find = async (query: string) => (await list(`/gateway/messages?direction=sent&${query}`)).length;
      expect([await find('suppressed=true'), await find('suppressed=false')]).toEqual([1, 1]);
      const month = ((await client.get('/gateway/stats/month').expect(200)).body as { data: Json }).data;
      expect(month).toMatchObject({ failed: 0, cancelled: 0, suppressed: 1 });
    });

    it('is obeyed once, however often and by how many at once it is uploaded', async () => {
      const batch = await client.send([NUMBER]);
      const text = { fingerprint: randomUUID(), receivedAtInMillis: ago(SECOND) };
      const answers = await Promise.all(Array.from({ length: 6 }, () => upload('STOP', text)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
      await upload('STOP', text).expect(200);
      expect([(await suppressions()).length, (await consents()).length, await receivedTexts()]).toEqual([
        1, 1, 1,
      ]);
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      expect(await used()).toBe(1);
    });

    it('is obeyed by a phone that does not receive, or is disabled, and is not stored then', async () => {
      const [silent, disabled] = [await client.newDevice(), await client.newDevice()];
      await client.post(`/gateway/devices/${silent}/heartbeat`, { receiveSMSEnabled: false }).expect(200);
      await client.patch(`/gateway/devices/${disabled}`, { enabled: false }).expect(200);
      for (const [phone, sender] of [
        [silent, '+447700900201'],
        [disabled, '+447700900202'],
      ] as const) {
        const batch = await client.send([sender], { deviceId: device });
        await upload('STOP', { sender }, phone).expect(200);
        expect(await outcomesOf(batch)).toEqual({ [sender]: 'SUPPRESSED' });
        const [block] = await suppressions(`?number=${encodeURIComponent(sender)}`);
        expect(block).toMatchObject({ state: 'out' });
        expect(block).not.toHaveProperty('messageId');
      }
      expect(await receivedTexts()).toBe(0);
    });

    it('of the app SMSGate is obeyed, too', async () => {
      const site = await SmsGateSite.create(service);
      const app = await site.pair();
      const batch = await site.client.send([NUMBER], {
        deviceId: app.deviceId,
        scheduledAt: new Date(ago(-DAY)).toISOString(),
      });
      const body = JSON.stringify({
        id: randomUUID(),
        webhookId: 'recv',
        event: 'sms:received',
        payload: {
          messageId: '1a2b3c4d',
          message: 'STOP',
          sender: NUMBER,
          phoneNumber: NUMBER,
          simNumber: 1,
          receivedAt: service.clock.now().toISOString(),
        },
      });
      const timestamp = String(Math.floor(service.clock.now().getTime() / SECOND));
      await site
        .call('post', `/hook/${app.deviceId}`)
        .set('content-type', 'application/json')
        .set('x-timestamp', timestamp)
        .set('x-signature', signPost(app.storage.settings.signingKey ?? '', body, timestamp))
        .send(body)
        .expect(204);
      const [message] = (await site.client.batch(app.deviceId, batch)).messages;
      expect(message).toMatchObject({ status: 'failed', errorCode: 'SUPPRESSED' });
      expect(await list('/gateway/suppressions', site.client)).toHaveLength(1);
      site.stop();
    });

    const STEPS: readonly (readonly [string, CrashPoint])[] = [
      ['the record', crashAtCall(ConsentRecordsRepository, 'add')],
      ['the block', crashAtCall(SuppressionsRepository, 'block')],
      ['the start of the withdrawal', crashAtCall(BatchCancellationsRepository, 'startMany')],
      ['the withdrawal', crashAtCall(CancellationRepository, 'suppress')],
      ['the refund', crashAtCall(BillingService, 'refund')],
      ['the end of the withdrawal', crashAtCall(BatchCancellationsRepository, 'finish')],
      ['the text', crashAtCall(MessagesRepository, 'insertReceived')],
    ];
    it.each(
      STEPS.flatMap(([name, point]) => (['before', 'after'] as const).map((when) => ({ name, point, when }))),
    )('is obeyed once if the process dies $when $name', async ({ point, when }) => {
      const batch = await client.send([NUMBER, OTHER]);
      const text = { fingerprint: randomUUID(), receivedAtInMillis: ago(SECOND) };
      const { died } = point(service, when);
      expect((await upload('STOP', text)).status).toBe(500);
      await died;
      // Nothing is stored before it is obeyed.
      if ((await receivedTexts()) > 0)
        expect(await outcomesOf(batch)).toMatchObject({ [NUMBER]: 'SUPPRESSED' });
      await upload('STOP', text).expect(200);
      service.clock.advance(MINUTE);
      await service.get(BatchRecoveryScheduler).sweep();
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED', [OTHER]: 'pending' });
      expect([(await suppressions()).length, (await consents()).length, await receivedTexts()]).toEqual([
        1, 1, 1,
      ]);
      // Two were sent, one was refunded. Whether the text was counted is not known if the process died before.
      expect([1, 2]).toContain(await used());
      const stored = await service.collection('batches').findOne({ _id: new Types.ObjectId(batch) });
      expect(stored).toMatchObject({ suppressedCount: 1 });
      expect(stored).not.toHaveProperty('cancellations');
      const record = await service.collection('consents').findOne({ user: client.user });
      const received = await service
        .collection('messages')
        .findOne({ user: client.user, direction: 'received' });
      expect(record?.message).toEqual(received?._id);
    });
  });

  describe('what a person says', () => {
    it('START lifts a block and grants nothing; it does not send what failed', async () => {
      const batch = await client.send([NUMBER]);
      await upload('STOP', { receivedAtInMillis: ago(2 * SECOND) });
      await upload('START', { receivedAtInMillis: ago(SECOND) });
      expect(await suppressions()).toEqual([]);
      expect((await consents()).map(({ state }) => state)).toEqual(['in', 'out']);
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      await client.send([NUMBER], { purpose: 'marketing' });
    });

    it('a later decision is not undone by an older text that is uploaded after it', async () => {
      await upload('START', { receivedAtInMillis: ago(MINUTE) });
      await upload('STOP', { receivedAtInMillis: ago(2 * MINUTE) });
      expect(await suppressions()).toEqual([]);
      await upload('STOP', { receivedAtInMillis: ago(30 * SECOND) });
      await upload('START', { receivedAtInMillis: ago(45 * SECOND) });
      expect(await statesOf()).toEqual(['out']);
      // Said again later: what is older than that does not lift it.
      const saidAgainAt = ago(10 * SECOND);
      await upload('STOP', { receivedAtInMillis: saidAgainAt });
      await upload('START', { receivedAtInMillis: saidAgainAt - SECOND });
      expect(await statesOf()).toEqual(['out']);
      await upload('START', { receivedAtInMillis: saidAgainAt });
      expect(await statesOf()).toEqual(['out']);
      await upload('START', { receivedAtInMillis: saidAgainAt + SECOND });
      expect(await suppressions()).toEqual([]);
      expect(await consents()).toHaveLength(8);
    });

    it('an unclear text holds marketing, and is the same as STOP after a week', async () => {
      const [marketing, plain] = [
        await client.send([NUMBER], { purpose: 'marketing' }),
        await client.send([NUMBER], { scheduledAt: new Date(ago(-20 * DAY)).toISOString() }),
      ];
      await upload('please stop');
      expect(await outcomesOf(marketing)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      expect(await outcomesOf(plain)).toEqual({ [NUMBER]: 'pending' });
      const [held] = await suppressions();
      expect(held).toMatchObject({ state: 'held' });
      expect(Date.parse(String(held?.outAt)) - Date.parse(String(held?.at))).toBe(7 * DAY);
      expect([await statesOf('?state=held'), await statesOf('?state=out')]).toEqual([['held'], []]);
      service.clock.advance(6 * DAY);
      await upload('stop it now'); // nothing
      await upload('no more messages');
      expect(await statesOf()).toEqual(['held']);
      service.clock.advance(DAY);
      expect([await statesOf('?state=held'), await statesOf('?state=out')]).toEqual([[], ['out']]);
      expect(
        (await client.post('/gateway/send-sms', { message: 'Hi', recipients: [NUMBER] })).body,
      ).toMatchObject({
        code: 'RECIPIENT_SUPPRESSED',
      });
    });

    it('a block that is out is not weakened by an unclear text', async () => {
      await upload('STOP', { receivedAtInMillis: ago(MINUTE) });
      await upload('please stop', { receivedAtInMillis: ago(SECOND) });
      expect(await statesOf()).toEqual(['out']);
      await upload('no more messages', { sender: OTHER, receivedAtInMillis: ago(SECOND) });
      await upload('STOP', { sender: OTHER, receivedAtInMillis: ago(MINUTE) });
      expect(await statesOf(`?number=${encodeURIComponent(OTHER)}`)).toEqual(['out']);
    });

    it('other texts, names of senders and encrypted texts do nothing', async () => {
      await upload('The bus stop is closed');
      await upload('YES');
      await upload('HELP');
      await upload('STOP', { sender: 'Bank' });
      await upload('STOP', { sender: '' });
      await upload('', { encrypted: true, encryptedMessage: 'STOP' });
      expect([await suppressions(), await consents()]).toEqual([[], []]);
    });
  });

  describe('a send', () => {
    const send = (fields: Json) =>
      client.post('/gateway/send-sms', { message: 'Hi', recipients: [NUMBER], ...fields });

    it('to blocked recipients only is refused, and stores and charges nothing', async () => {
      await upload('STOP');
      await upload('STOP', { sender: OTHER });
      const stored = async () => {
        // Texts are added to conversations later.
        const { conversations: _later, ...counts } = await countStoredDocuments(service, client);
        return counts;
      };
      const [before, charged] = [await stored(), await used()];
      const answer = await send({ recipients: [NUMBER, OTHER] });
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.objectContaining({
          code: 'RECIPIENT_SUPPRESSED',
          message: expect.stringMatching(
            /^recipients has 2 numbers .*\+447700900123: the recipient wrote "STOP" on /,
          ) as string,
          details: [{ field: 'recipients', message: expect.any(String) as string }],
        }),
      ]);
      const bulk = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: 'Hi', recipients: [NUMBER] },
          { message: 'Ho', recipients: [OTHER] },
        ],
      });
      expect(bulk.body).toMatchObject({
        code: 'RECIPIENT_SUPPRESSED',
        details: [{ field: 'messages.0.recipients' }],
      });
      expect((await client.post('/gateway/estimates', { message: 'Hi', recipients: [NUMBER] })).status).toBe(
        400,
      );
      expect([await stored(), await used()]).toEqual([before, charged]);
      await send({ recipients: [NUMBER, '+447700900125'] }).expect(200);
    });

    it('that is declared transactional passes, unless the block covers everything', async () => {
      await upload('STOP');
      await send({ purpose: 'marketing' }).expect(400);
      await send({}).expect(400);
      const batch = await client.send([NUMBER], { purpose: 'transactional', topic: 'orders' });
      expect((await client.batch(device, batch)).batch).toMatchObject({
        purpose: 'transactional',
        topic: 'orders',
      });
      await settings({ stopCovers: 'everything' });
      await send({ purpose: 'transactional' }).expect(200); // it keeps what it covers
      await upload('STOP', { sender: OTHER });
      await send({ recipients: [OTHER], purpose: 'transactional' }).expect(400);
    });

    it('a STOP fails what is not declared transactional, and leaves the rest', async () => {
      const batches = await Promise.all(
        [{}, { purpose: 'marketing' }, { purpose: 'transactional' }].map((fields) =>
          client.send([NUMBER], fields),
        ),
      );
      await upload('STOP');
      expect((await Promise.all(batches.map(outcomesOf))).map((each) => each[NUMBER])).toEqual([
        'SUPPRESSED',
        'SUPPRESSED',
        'pending',
      ]);
    });

    it('of another topic passes if STOP covers the topic of the last send', async () => {
      await settings({ stopCovers: 'topic' });
      const news = await client.send([NUMBER], { topic: 'news' });
      service.clock.advance(SECOND);
      const offers = await client.send([NUMBER], { topic: 'offers', purpose: 'marketing' });
      await upload('STOP', { receivedAtInMillis: ago(2) });
      expect(await outcomesOf(news)).toEqual({ [NUMBER]: 'pending' });
      expect(await outcomesOf(offers)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      expect(await suppressions()).toMatchObject([{ topic: 'offers', state: 'out' }]);
      await send({ topic: 'offers' }).expect(400);
      await send({ topic: 'news', purpose: 'marketing' }).expect(200);
      await send({}).expect(200);
      await upload('START', { receivedAtInMillis: ago(1) });
      expect(await suppressions()).toEqual([]);
      await send({ topic: 'offers' }).expect(200);
      // An older STOP of the topic is uploaded after the START.
      await upload('STOP', { receivedAtInMillis: ago(MINUTE) });
      expect(await suppressions()).toEqual([]);
    });

    it.each([
      [{ purpose: 'news' }, 'purpose'],
      [{ topic: 'Two words' }, 'topic'],
      [{ topic: 'x'.repeat(41) }, 'topic'],
    ])('with %j is refused', async (fields, field) => {
      const answer = await send(fields);
      expect([answer.status, (answer.body as { message: string }).message]).toEqual([
        400,
        expect.stringContaining(field) as string,
      ]);
    });
  });

  describe('an account', () => {
    it('that was not asked yet, or has switched consent off, reads and stops nothing', async () => {
      await service.collection('accounts').updateOne({ _id: client.user }, { $unset: { consent: 1 } });
      expect((await client.get('/gateway/consent-settings')).body).toMatchObject({
        data: { enabled: false },
      });
      const batch = await client.send([NUMBER]);
      await upload('STOP');
      expect([await suppressions(), await outcomesOf(batch)]).toEqual([[], { [NUMBER]: 'pending' }]);
      expect(
        await service.collection('batches').countDocuments({ user: client.user, checksConsent: true }),
      ).toBe(0);
      await settings({ enabled: true });
      expect(
        await service.collection('batches').countDocuments({ user: client.user, checksConsent: true }),
      ).toBe(1);
      await upload('STOP');
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      const waiting = await client.send([OTHER]);
      await settings({ enabled: false });
      const stored = await service.collection('batches').findOne({ _id: new Types.ObjectId(waiting) });
      expect(stored).not.toHaveProperty('checksConsent');
      await client.send([NUMBER]);
    });

    it('has consent switched on when it is new', async () => {
      const data = ((await client.get('/gateway/consent-settings').expect(200)).body as { data: Json }).data;
      expect(data).toEqual({
        enabled: true,
        asked: true,
        stopCovers: 'undeclared',
        languages: ['en', 'de', 'es', 'fr', 'pt'],
        keywords: { out: [], in: [], help: [] },
        confirmation: true,
      });
    });

    it('chooses languages and keywords; none may have two meanings', async () => {
      const answer = await settings({ languages: ['de'], keywords: { out: ['Genug'] }, senderName: 'Laden' });
      expect((answer.body as { data: Json }).data).toMatchObject({
        languages: ['de'],
        keywords: { out: ['Genug'], in: [], help: [] },
        senderName: 'Laden',
      });
      await upload('baja');
      await upload('GENUG!');
      expect((await consents()).map(({ words }) => words)).toEqual(['GENUG!']);
      const cleared = await settings({ senderName: null });
      expect((cleared.body as { data: Json }).data).not.toHaveProperty('senderName');
      const refused = async (keywords: Json) =>
        (
          (await client.patch('/gateway/consent-settings', { keywords }).expect(400)).body as {
            message: string;
          }
        ).message;
      expect(await refused({ in: ['Stop'] })).toContain(
        'keywords.in.0 is a keyword with the meaning out already',
      );
      expect(await refused({ out: ['halt'], help: ['HALT!'] })).toContain('two meanings');
      expect(await refused({ out: ['!!'] })).toContain('letters');
      expect(await refused({ out: Array.from({ length: 21 }, (_, n) => `word ${n}`) })).toContain('20');
    });

    it('blocks and lifts by hand, with the reason; what waits fails', async () => {
      const batch = await client.send([NUMBER]);
      const person = await service.signIn(client);
      const block = (fields: Json) =>
        person.post('/gateway/suppressions', { number: '+44 7700 900123', ...fields });
      const first = await block({ state: 'held', reason: 'Asked on the phone' }).expect(201);
      expect((first.body as { data: Json }).data).toMatchObject({
        number: NUMBER,
        state: 'held',
        source: 'web',
      });
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'pending' });
      const out = (await block({}).expect(201)).body as { data: Json };
      expect(out.data).toMatchObject({ state: 'out' });
      expect(out.data).not.toHaveProperty('reason');
      expect(await outcomesOf(batch)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      expect((await block({ state: 'held' }).expect(201)).body).toMatchObject({ data: { state: 'out' } });
      const path = `/gateway/suppressions/${String(out.data._id)}`;
      await client.delete(path).send({}).expect(400);
      await client.delete(path).send({ reason: 'Wants them again' }).expect(200);
      await client.delete(path).send({ reason: 'Twice' }).expect(404);
      expect(await suppressions()).toEqual([]);
      expect((await consents())[0]).toMatchObject({ state: 'in', source: 'api', reason: 'Wants them again' });
      expect((await consents()).map((each) => each.person)).toEqual([undefined, 'Test', 'Test', 'Test']);
      await client.send([NUMBER]);
      await upload('STOP');
      expect(await statesOf()).toEqual(['out']);
    });

    it('finds numbers in any spelling, and pages through lists', async () => {
      const latest = ago(0);
      for (let n = 0; n < 5; n += 1)
        await upload('STOP', { sender: `+4477009001${n}0`, receivedAtInMillis: latest - 1_000 * n });
      for (const spelling of ['+447700900130', '447700900130', '+44 (0)7700 900130'])
        expect(await suppressions(`?number=${encodeURIComponent(spelling)}`)).toHaveLength(1);
      for (const path of ['/gateway/suppressions', '/gateway/consents']) {
        const numbers: unknown[] = [];
        let cursor: string | null = '';
        do {
          const answer = await client.get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`).expect(200);
          const { data, meta } = answer.body as ListJson;
          numbers.push(...data.map(({ number }) => number));
          cursor = meta.nextCursor;
        } while (cursor);
        expect(numbers).toEqual([0, 1, 2, 3, 4].map((n) => `+4477009001${n}0`));
      }
    });

    it('that is older is asked, and blocks those whose last word was STOP, once', async () => {
      await service.collection('accounts').updateOne({ _id: client.user }, { $unset: { consent: 1 } });
      const said = (sender: string, ...texts: string[]) =>
        Promise.all(
          texts.map((text, index) =>
            upload(text, { sender, receivedAtInMillis: ago((texts.length - index) * SECOND) }),
          ),
        );
      await said(NUMBER, 'Hello', 'STOP', 'Stop!', 'thanks');
      await said(OTHER, 'STOP', 'START');
      await said('+447700900125', 'START', 'Abmelden');
      await said('+447700900126', 'please stop', 'the bus stop is closed');
      await said('Bank', 'STOP');
      expect((await client.get('/gateway/consent-settings')).body).toMatchObject({
        data: { enabled: false, asked: false },
      });
      expect(await list('/gateway/suppressions/candidates')).toMatchObject([
        { number: NUMBER, words: 'Stop!' },
        { number: '+447700900125', words: 'Abmelden' },
      ]);
      const waiting = await client.send([NUMBER]);
      await settings({ enabled: true });
      const suppress = async (body: Json = {}) =>
        ((await client.post('/gateway/suppressions/candidates', body).expect(200)).body as { data: Json })
          .data;
      const [one, other] = await Promise.all([suppress(), suppress()]);
      expect([one.nextCursor, other.nextCursor]).toEqual([null, null]);
      expect(await suppress()).toEqual({ suppressedCount: 0, nextCursor: null });
      expect(await list('/gateway/suppressions/candidates')).toEqual([]);
      expect([(await suppressions()).length, (await consents()).length]).toEqual([2, 2]);
      expect(await suppressions(`?number=${encodeURIComponent(NUMBER)}`)).toMatchObject([
        { state: 'out', source: 'keyword', words: 'Stop!' },
      ]);
      expect(await outcomesOf(waiting)).toEqual({ [NUMBER]: 'SUPPRESSED' });
      const [block] = await suppressions();
      await client
        .delete(`/gateway/suppressions/${String(block?._id)}`)
        .send({ reason: 'Asked' })
        .expect(200);
      expect(await list('/gateway/suppressions/candidates')).toEqual([]);
    });

    it('looks through its texts in parts, each person in one of them', async () => {
      await service.collection('accounts').updateOne({ _id: client.user }, { $unset: { consent: 1 } });
      const text = (index: number, peerNumber: string) => ({
        ...{
          user: client.user,
          device: new Types.ObjectId(device),
          direction: 'received',
          status: 'received',
        },
        ...{ message: index % 2 === 0 ? 'STOP' : 'Hello', sender: peerNumber, peerNumber },
        ...{ createdAt: new Date(index), receivedAt: new Date(index), countedAt: new Date(index) },
        ...{ raised: [], outbox: [], fingerprint: `${index}` },
      });
      const numbers = Array.from({ length: 130 }, (_, index) => `+4477009${String(index).padStart(5, '0')}`);
      await service
        .collection('messages')
        .insertMany([
          ...Array.from({ length: 2_500 }, (_, index) => text(index, '+447600000000')),
          ...numbers.flatMap((number, index) => [
            text(10_000 + 2 * index, number),
            text(20_001 + 2 * index, number),
          ]),
        ]);
      const found: unknown[] = [];
      const sizes: number[] = [];
      let cursor: string | null = '';
      do {
        const path = `/gateway/suppressions/candidates${cursor && `?cursor=${cursor}`}`;
        const { data, meta } = (await client.get(path).expect(200)).body as ListJson;
        found.push(...data.map(({ number }) => number));
        sizes.push(data.length);
        cursor = meta.nextCursor;
      } while (cursor);
      expect(found).toEqual(['+447600000000', ...numbers]);
      expect(sizes).toEqual([1, 100, 30]);
      await client.get('/gateway/suppressions/candidates?cursor=%2B').expect(400);
    });

    it('learns before a send which numbers it would not reach', async () => {
      await upload('STOP');
      await upload('please stop', { sender: OTHER });
      const check = async (fields: Json) =>
        (
          (await client.post('/gateway/suppressions/check', fields).expect(200)).body as {
            data: { blocked: number[]; blocks: Json[] };
          }
        ).data;
      const numbers = ['+447700900199', '+44 7700 900123', OTHER, 'nobody', NUMBER];
      const plain = await check({ numbers });
      expect(plain.blocked).toEqual([1, 4]);
      expect(plain.blocks[0]).toMatchObject({ index: 1, number: NUMBER, state: 'out', words: 'STOP' });
      expect((await check({ numbers, purpose: 'marketing' })).blocked).toEqual([1, 2, 4]);
      expect((await check({ numbers, purpose: 'transactional' })).blocked).toEqual([]);
      await client.post('/gateway/suppressions/check', { numbers: [] }).expect(400);
    });

    it('sees and changes nothing of another account', async () => {
      await upload('STOP');
      const [block] = await suppressions();
      const other = await service.newAccount();
      await other.newDevice();
      expect([await list('/gateway/suppressions', other), await list('/gateway/consents', other)]).toEqual([
        [],
        [],
      ]);
      await other
        .delete(`/gateway/suppressions/${String(block?._id)}`)
        .send({ reason: 'No' })
        .expect(404);
      await other.send([NUMBER], { purpose: 'marketing' });
      expect(await suppressions()).toHaveLength(1);
    });

    it('is erased without a byte of the number', async () => {
      const number = '+447700900999';
      const batch = await client.send([number, OTHER]);
      await upload('STOP', { sender: number });
      await upload('please stop', { sender: OTHER });
      expect(batch).toBeTruthy();
      const key = (await service.collection('suppressions').findOne({ number }))?.numberKey as string;
      await service.get(ErasureService).start(accountScope(client.user));
      await untilErased(service, client);
      const { models } = service.app.get<{ models: Record<string, { collection: { name: string } }> }>(
        'DatabaseConnection',
        { strict: false },
      );
      for (const { collection } of Object.values(models)) {
        const stored = JSON.stringify(await service.collection(collection.name).find().toArray());
        expect([collection.name, stored.includes('7700900999'), stored.includes(key)]).toEqual([
          collection.name,
          false,
          false,
        ]);
      }
    });
  });
});
