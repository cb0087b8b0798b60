import { Types } from 'mongoose';
import { BillingService } from '../../src/billing/billing.service';
import { TimelinesRepository } from '../../src/devices/sims/timelines.repository';
import { SendRollbackService } from '../../src/gateway/sends/acceptance/send-rollback.service';
import { DispatchQueue } from '../../src/gateway/waves/dispatch.queue';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

interface SendJson {
  data: {
    success: boolean;
    message: string;
    smsBatchId: string;
    recipientCount: number;
    estimatedCompletionAt?: string;
  };
}

describe('sends', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    await service.collection('plans').insertMany([
      { _id: 'fifty', displayName: 'Fifty', dailyLimit: 50, monthlyLimit: -1, bulkSendLimit: 20 },
      { _id: 'large', displayName: 'Large', dailyLimit: 10_000, monthlyLimit: 12_000, bulkSendLimit: -1 },
    ] as never[]);
    service.clock.advance(11_000); // the cached plan expires
  });
  beforeEach(async () => {
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const onPlan = (plan: string) =>
    service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan } });
  const send = (body: object, key?: string) => {
    const call = client.post('/gateway/send-sms', {
      message: 'Hello',
      recipients: ['+4915112345678'],
      ...body,
    });
    return key === undefined ? call : call.set('Idempotency-Key', key);
  };
  const storedMessages = () => service.collection('messages').countDocuments({ user: client.user });
  const storedBatches = () => service.collection('batches').countDocuments({ user: client.user });
  const usage = async () => {
    const found = await service.collection('usages').findOne({ _id: client.user });
    return { day: Number(found?.dayCount ?? 0), month: Number(found?.monthCount ?? 0) };
  };

  describe('accepted input', () => {
    it.each([
      ['+49 (151) 123-45.67', '+491511234567'],
      ['0151 1234567', '01511234567'],
      ['[030] 12345', '03012345'],
      ['12345', '12345'],
      ['110', '110'],
    ])('stores the number %s as %s', async (given, stored) => {
      const batch = await client.send([given]);
      expect((await client.batch(device, batch)).messages[0]?.recipient).toBe(stored);
    });

    it('sends twice to a recipient that is listed twice', async () => {
      const batch = await client.send(['111', '111', '1-1-1']);
      const { batch: record, messages } = await client.batch(device, batch);
      expect(record.recipientCount).toBe(3);
      expect(messages.map(({ recipient }) => recipient)).toEqual(['111', '111', '111']);
    });

    it('accepts 1,600 characters, counted as code points: most emoji are one, a flag is two, a family is five', async () => {
      for (const [emoji, length] of [
        ['😀', 1],
        ['🇩🇪', 2],
        ['👨‍👩‍👧', 5],
      ] as const) {
        expect((await send({ message: emoji.repeat(1_600 / length) })).status).toBe(200);
        expect((await send({ message: emoji.repeat(1_600 / length) + '.' })).status).toBe(400);
      }
      expect((await send({ message: 'ä'.repeat(1_600) })).status).toBe(200);
    });

    it('reads the deprecated fields only if the current ones are absent', async () => {
      const post = async (body: object) => {
        const answer = await client.post('/gateway/send-sms', body);
        const { smsBatchId } = (answer.body as SendJson).data;
        const [message] = (await client.batch(device, smsBatchId)).messages;
        return [message?.message, message?.recipient];
      };
      expect(await post({ smsBody: 'Old', receivers: ['222'] })).toEqual(['Old', '222']);
      expect(await post({ message: 'New', recipients: ['111'], smsBody: 'Old', receivers: ['222'] })).toEqual(
        ['New', '111'],
      );
    });

    it('answers every send in the same format', async () => {
      const answer = await send({ recipients: ['111', '222'] });
      expect(answer.body).toEqual({
        data: {
          success: true,
          message: '2 messages queued',
          smsBatchId: expect.stringMatching(/^[\da-f]{24}$/) as string,
          recipientCount: 2,
          segments: 1,
          parts: 2,
          encoding: 'GSM-7',
        },
      });
    });

    it('leaves out what is no phone number if asked, and names it; a repeated request has the same answer', async () => {
      const body = { onInvalidNumber: 'skip', recipients: ['111', '4.47E+11', 222, '333'] };
      const skipped = {
        recipientCount: 2,
        parts: 2,
        message: '2 messages queued; 2 recipients are no phone numbers and were left out',
        skippedCount: 2,
        skippedRecipients: [
          { index: 1, value: '4.47E+11', reason: expect.stringContaining('spreadsheet') as string },
          { index: 2, value: '222', reason: expect.stringContaining('in quotes') as string },
        ],
      };
      for (let times = 0; times < 2; times += 1)
        expect((await send(body, 'skip')).body).toMatchObject({ data: skipped });
      expect((await send({ ...body, onInvalidNumber: 'reject' }, 'skip')).body).toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
      expect((await send({ ...body, onInvalidNumber: 'reject' })).status).toBe(400);
      expect((await send({ ...body, recipients: ['no', null] })).body).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'recipients.0' }, { field: 'recipients.1' }],
      });
      expect((await send({ onInvalidNumber: 'drop' })).status).toBe(400);
      expect(await storedMessages()).toBe(2);
    });

    it('leaves out entries of which no recipient is left; errors name the places in the request', async () => {
      const bulk = (messages: object[]) =>
        client.post('/gateway/send-bulk-sms', { onInvalidNumber: 'skip', messages });
      const entry = (...recipients: unknown[]) => ({ message: 'Hello', recipients });
      const many = Array.from({ length: 150 }, () => 'no');
      const answer = (await bulk([entry('no'), entry('111', ''), entry(...many), entry('222')])).body as {
        data: { recipientCount: number; skippedCount: number; skippedRecipients: object[] };
      };
      expect(answer.data).toMatchObject({ recipientCount: 2, skippedCount: 152 });
      expect(answer.data.skippedRecipients).toHaveLength(100);
      expect(answer.data.skippedRecipients.slice(0, 2)).toMatchObject([
        { entry: 0, index: 0, value: 'no' },
        { entry: 1, index: 1, value: '' },
      ]);
      const refused = await bulk([entry('no'), { ...entry('111'), simSubscriptionId: 9 }, entry()]);
      expect(refused.body).toMatchObject({ details: [{ field: 'messages.2.recipients' }] });
      expect((await bulk([entry('no'), entry('')])).status).toBe(400);
      const estimate = await client.post('/gateway/estimates', {
        onInvalidNumber: 'skip',
        ...entry('111', 'no'),
      });
      expect(estimate.body).toMatchObject({ data: { messages: 1, skippedCount: 1 } });
    });

    it('reads a time across a daylight-saving change as the correct instant', async () => {
      // Clocks in Berlin go from 02:00 to 03:00 on 28 March 2027, so 01:59+01:00 and 03:00+02:00 are a minute apart.
      const ahead = new Date('2027-03-27T12:00:00Z').getTime() - service.clock.now().getTime();
      service.clock.advance(ahead);
      const due = async (scheduledAt: string) => {
        const batch = await client.send(['111'], { scheduledAt });
        return (await client.batch(device, batch)).messages[0]?.dispatchDueAt;
      };
      expect(await due('2027-03-28T01:59:00+01:00')).toBe('2027-03-28T00:59:00.000Z');
      expect(await due('2027-03-28T03:00:00+02:00')).toBe('2027-03-28T01:00:00.000Z');
      expect((await send({ scheduledAt: '2027-03-28T02:30:00' })).status).toBe(400);
      expect((await send({ scheduledAt: '2027-02-30T02:30:00Z' })).status).toBe(400);
      expect((await send({ scheduledAt: 'tomorrow' })).status).toBe(400);
    });

    it('accepts 10,000 recipients and splits them into waves', async () => {
      const answer = await send({ recipients: numbers(10_000) });
      const { smsBatchId, estimatedCompletionAt } = (answer.body as SendJson).data;
      expect(new Date(estimatedCompletionAt ?? '').getTime() - service.clock.now().getTime()).toBeGreaterThan(
        49_000_000,
      );
      const { batch, messages } = await client.batch(device, smsBatchId);
      expect(batch).toMatchObject({
        recipientCount: 10_000,
        status: 'pending',
        recipientPreview: '+491500000000, +491500000001, +491500000002 and 9997 more',
      });
      expect(messages.map(({ recipient }) => recipient)).toEqual(numbers(10_000));
    });

    it('rejects sends of an account whose e-mail address is not verified', async () => {
      await service
        .collection('accounts')
        .updateOne({ _id: client.user }, { $unset: { emailVerifiedAt: 1 } });
      const answer = await send({});
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([400, 'EMAIL_NOT_VERIFIED']);
      expect(await storedBatches()).toBe(0);
    });
  });

  describe('plan limits', () => {
    it('accepts exactly 50 of 200 concurrent sends with a limit of 50', async () => {
      await onPlan('fifty');
      const answers = await Promise.all(Array.from({ length: 200 }, () => send({})));
      const accepted = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect([accepted.length, refused.length]).toEqual([50, 150]);
      expect([await storedMessages(), await storedBatches(), (await usage()).day]).toEqual([50, 50, 50]);
    });

    it('answers which limit is reached, the remaining messages and when to retry', async () => {
      await onPlan('fifty');
      for (let sent = 0; sent < 45; sent += 15) await send({ recipients: numbers(15) });
      const daily = await send({ recipients: numbers(6) });
      expect(daily.status).toBe(429);
      expect(daily.body).toMatchObject({
        code: 'PLAN_LIMIT_REACHED',
        hasReachedLimit: true,
        limit: 'daily',
        dailyLimit: 50,
        dailyRemaining: 5,
        monthlyLimit: -1,
        monthlyRemaining: -1,
        bulkSendLimit: 20,
      });
      const { error, message } = daily.body as { error: string; message: string };
      expect(error).toBe(message);
      const retryAfter = Number(daily.headers['retry-after']);
      const midnight = new Date(service.clock.now().getTime() + retryAfter * 1_000);
      expect(midnight.getUTCHours() * 60 + midnight.getUTCMinutes()).toBe(0);
      expect(daily.headers).toMatchObject({
        'ratelimit-limit': '50',
        'ratelimit-remaining': '5',
        'ratelimit-reset': String(retryAfter),
      });
      expect((await send({ recipients: numbers(5) })).status).toBe(200);
      const batch = await send({ recipients: numbers(21) });
      expect(batch.body).toMatchObject({ limit: 'batch', bulkSendLimit: 20 });
      expect(batch.headers).not.toHaveProperty('retry-after');
    });

    it('counts a bulk send as one send of all its recipients', async () => {
      await onPlan('fifty');
      const entry = { message: 'Hello', recipients: numbers(11) };
      const answer = await client.post('/gateway/send-bulk-sms', { messages: [entry, entry] });
      expect([answer.status, (answer.body as { limit: string }).limit]).toEqual([429, 'batch']);
    });

    it('resets daily and monthly limits by the UTC calendar', async () => {
      await onPlan('large');
      const toNoon = (time: number) => 24 * HOUR - (time % (24 * HOUR)) + 12 * HOUR;
      service.clock.advance(toNoon(service.clock.now().getTime()));
      while (service.clock.now().getUTCDate() !== 10) service.clock.advance(24 * HOUR);
      expect((await send({ recipients: numbers(8_000) })).status).toBe(200);
      expect((await send({ recipients: numbers(2_001) })).body).toMatchObject({ limit: 'daily' });
      service.clock.advance(24 * HOUR);
      expect((await send({ recipients: numbers(4_001) })).body).toMatchObject({
        limit: 'monthly',
        monthlyRemaining: 4_000,
      });
      expect((await send({ recipients: numbers(4_000) })).status).toBe(200);
      while (service.clock.now().getUTCDate() !== 1) service.clock.advance(24 * HOUR);
      expect((await send({})).status).toBe(200);
      expect(await usage()).toEqual({ day: 1, month: 1 });
    });

    it('counts received messages, and marks those over the limit instead of refusing them', async () => {
      await onPlan('fifty');
      for (let sent = 0; sent < 40; sent += 20) await send({ recipients: numbers(20) });
      await send({ recipients: numbers(9) });
      const receive = async (text: string) => {
        const answer = await client.post(`/gateway/devices/${device}/receive-sms`, {
          sender: '+49',
          message: text,
          receivedAtInMillis: 5,
        });
        return client.message(device, (answer.body as { data: { _id: string } }).data._id);
      };
      expect(await receive('within')).not.toHaveProperty('overLimit');
      expect((await usage()).day).toBe(50);
      expect((await send({})).status).toBe(429);
      expect((await receive('over')).overLimit).toBe(true);
      await receive('over'); // the same upload again
      expect((await usage()).day).toBe(51);
    });
  });

  describe('idempotency keys', () => {
    it('make one batch of twenty concurrent requests, with the same answer', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send({ recipients: numbers(30) }, 'k')),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length).toBe(19);
      expect([await storedBatches(), await storedMessages()]).toEqual([1, 30]);
    });

    it('repeat the answer even if the time, the device or the plan have changed', async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR).toISOString();
      const first = await send({ scheduledAt }, 'k');
      service.clock.advance(2 * HOUR);
      await client.delete(`/gateway/devices/${device}`);
      const again = await send({ scheduledAt }, 'k');
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
        200,
        first.text,
        'true',
      ]);
    });

    it('are refused for a different request, a different route, or an invalid key', async () => {
      await send({}, 'k');
      const other = await send({ message: 'Other' }, 'k');
      expect([other.status, (other.body as { code: string }).code]).toEqual([400, 'IDEMPOTENCY_KEY_REUSED']);
      const bulk = await client
        .post('/gateway/send-bulk-sms', { messages: [{ message: 'Hello', recipients: ['+4915112345678'] }] })
        .set('Idempotency-Key', 'k');
      expect(bulk.status).toBe(400);
      expect(await send({}, 'x'.repeat(256))).toMatchObject({
        status: 400,
        body: { details: [{ field: 'Idempotency-Key' }] },
      });
      expect(await storedBatches()).toBe(1);
    });

    it('are scoped to the account', async () => {
      const stranger = await service.newAccount();
      await stranger.newDevice();
      const mine = await send({}, 'k');
      const theirs = await stranger
        .post('/gateway/send-sms', { message: 'Hello', recipients: ['+4915112345678'] })
        .set('Idempotency-Key', 'k');
      expect((theirs.body as SendJson).data.smsBatchId).not.toBe((mine.body as SendJson).data.smsBatchId);
    });

    it('can be reused after a refused request', async () => {
      await onPlan('fifty');
      expect((await send({ recipients: numbers(21) }, 'k')).status).toBe(429);
      await onPlan('unlimited');
      expect((await send({ recipients: numbers(21) }, 'k')).status).toBe(200);
    });
  });

  describe('a process that dies during acceptance', () => {
    type Step = [name: string, target: () => object, method: string];
    const steps: Step[] = [
      ['the batch', () => dying.get(BatchesRepository), 'insert'],
      ['the reservation', () => dying.get(BillingService), 'reserve'],
      ['the timeline', () => dying.get(TimelinesRepository), 'reserve'],
      ['the record of the timeline', () => dying.get(BatchesRepository), 'recordGroups'],
      ['the messages', () => dying.get(MessagesRepository), 'insert'],
      ['the commit', () => dying.get(BatchesRepository), 'accept'],
      ['the job', () => dying.get(DispatchQueue), 'enqueue'],
    ];
    let dying: TestService;
    /** How long the phone's timeline is reserved from now. */
    const reservedMs = async () => {
      const found = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
      const freeAt = found?.dispatchFreeAt as Date | undefined;
      return (freeAt?.getTime() ?? 0) - service.clock.now().getTime();
    };

    beforeAll(async () => {
      dying = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service, transport });
    });
    afterAll(() => dying.stop());

    const moments = steps.flatMap(([name], index) => [
      [`before ${name}`, index, 'before'] as const,
      [`after ${name}`, index, 'after'] as const,
    ]);

    it.each(moments)('%s: sends and charges all of it or nothing', async (_, index, when) => {
      await onPlan('large');
      await send({}); // earlier usage must stay
      let dead = false;
      const die = () => {
        dead = true;
        throw new Error('kill -9');
      };
      for (const [number, [, target, method]] of steps.entries()) {
        const object = target() as Record<string, (...args: unknown[]) => Promise<unknown>>;
        const original = object[method];
        if (!original) throw new Error(`There is no ${method}`);
        jest.spyOn(object, method).mockImplementation(async (...args: unknown[]) => {
          if (dead || (number === index && when === 'before')) die();
          const result = await original.apply(object, args);
          if (number === index && when === 'after') die();
          return result;
        });
      }
      // A dead process does not roll back.
      jest.spyOn(dying.get(SendRollbackService), 'abandon').mockRejectedValue(new Error('kill -9'));
      const body = { message: 'Hello', recipients: numbers(2_500) };
      const answer = await client.at(dying.url).post('/gateway/send-sms', body).set('Idempotency-Key', 'k');
      expect(answer.status).toBe(500);
      jest.restoreAllMocks();

      await service.get(BatchRecoveryScheduler).sweep(); // before the timeout: the process may still be running
      service.clock.advance(16_000);
      await service.get(BatchRecoveryScheduler).sweep();
      const committed = index === 6 || (index === 5 && when === 'after');
      expect(await storedMessages()).toBe(committed ? 2_501 : 1);
      expect(await storedBatches()).toBe(committed ? 2 : 1);
      expect((await usage()).day).toBe(committed ? 2_501 : 1);
      if (!committed && (index < 2 || (index === 3 && when === 'after') || index > 3))
        expect(await reservedMs()).toBeLessThanOrEqual(0);

      const again = await client.post('/gateway/send-sms', body).set('Idempotency-Key', 'k');
      expect(again.status).toBe(200);
      expect(again.headers['idempotency-replayed']).toBe(committed ? 'true' : undefined);
      expect([await storedMessages(), (await usage()).day]).toEqual([2_501, 2_501]);
    });

    it('gets back what it reserved although a thousand sends follow', async () => {
      await onPlan('large');
      const stopAccepting = jest.spyOn(dying.get(BatchesRepository), 'accept');
      const stopRollback = jest.spyOn(dying.get(SendRollbackService), 'abandon');
      for (const spy of [stopAccepting, stopRollback]) spy.mockRejectedValue(new Error('kill -9'));
      await client.at(dying.url).post('/gateway/send-sms', { message: 'Hello', recipients: numbers(35) });
      jest.restoreAllMocks();

      for (let round = 0; round < 11; round++)
        await Promise.all(Array.from({ length: 100 }, () => client.send(numbers(1))));
      service.clock.advance(16_000);
      await service.get(BatchRecoveryScheduler).sweep();
      expect((await usage()).day).toBe(1_100);
    });

    it('that was only slow finds its send abandoned, and removes what it has stored since', async () => {
      await onPlan('large');
      await send({});
      const messages = dying.get(MessagesRepository);
      const insert = messages.insert.bind(messages);
      jest.spyOn(messages, 'insert').mockImplementation(async (chunk) => {
        service.clock.advance(16_000);
        await service.get(BatchRecoveryScheduler).sweep();
        await insert(chunk);
      });
      const answer = await client
        .at(dying.url)
        .post('/gateway/send-sms', { message: 'Hello', recipients: numbers(100) });
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([503, 'SEND_ABANDONED']);
      expect([await storedMessages(), await storedBatches(), (await usage()).day]).toEqual([1, 1, 1]);
    });

    it('is rolled back by a waiting request with the same idempotency key, which then sends', async () => {
      const batches = dying.get(BatchesRepository);
      jest.spyOn(batches, 'accept').mockRejectedValue(new Error('kill -9'));
      jest.spyOn(dying.get(SendRollbackService), 'abandon').mockRejectedValue(new Error('kill -9'));
      const body = { message: 'Hello', recipients: numbers(3) };
      await client.at(dying.url).post('/gateway/send-sms', body).set('Idempotency-Key', 'k');
      jest.restoreAllMocks();
      const waiting = client
        .post('/gateway/send-sms', body)
        .set('Idempotency-Key', 'k')
        .then((answer) => answer);
      await new Promise((resolve) => setTimeout(resolve, 200));
      service.clock.advance(16_000);
      const answer = await waiting;
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect([await storedMessages(), await storedBatches()]).toEqual([3, 1]);
    });
  });

  describe('cancellation', () => {
    const cancel = (batch: string, of = device) =>
      client.post(`/gateway/devices/${of}/sms-batch/${batch}/cancel`);
    const dispatch = (batch: string, wave: number) => dispatchWave(service, batch, wave);

    it('fails the messages that were not pushed, refunds exactly those once, and releases their time', async () => {
      await onPlan('large');
      const batch = await client.send(numbers(1_000));
      await dispatch(batch, 0);
      const next = await client.send(numbers(60));
      await cancel(next); // no later batch: its time is released
      const answers = await Promise.all([cancel(batch), cancel(batch), cancel(batch)]);
      for (const answer of answers)
        expect([answer.status, answer.body]).toEqual([
          200,
          { data: { success: true, cancelledCount: 999, requestedCount: 0 } },
        ]);
      expect(await usage()).toEqual({ day: 1, month: 1 });
      const { batch: record, messages } = await client.batch(device, batch);
      expect(record).toMatchObject({ failureCount: 999, status: 'processing' });
      expect(messages.filter(({ errorCode }) => errorCode === 'CANCELLED').length).toBe(999);
      const outbox = await service
        .collection('messages')
        .countDocuments({ smsBatch: new Types.ObjectId(batch), 'outbox.event': 'MESSAGE_FAILED' });
      expect(outbox).toBe(999);
      service.clock.advance(HOUR);
      for (let wave = 1; wave < 20; wave++) await dispatch(batch, wave);
      // Messages of earlier tests may be due by now.
      const ofBatch = new Set(messages.map(({ _id }) => _id));
      expect(transport.pushed.filter((id) => ofBatch.has(id)).length).toBe(1);
    });

    it('releases the time on the timeline only if no later batch follows', async () => {
      const [first, second] = [await client.send(numbers(100)), await client.send(numbers(100))];
      const freeAt = async () => {
        const found = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
        return (found?.dispatchFreeAt as Date).getTime();
      };
      const before = await freeAt();
      await cancel(first);
      expect(await freeAt()).toBe(before);
      await cancel(second);
      expect(await freeAt()).toBe(before - 500_000);
    });

    it('of a scheduled send prevents its planning', async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR).toISOString();
      const batch = await client.send(numbers(100), { scheduledAt });
      expect((await cancel(batch)).body).toEqual({
        data: { success: true, cancelledCount: 100, requestedCount: 0 },
      });
      service.clock.advance(HOUR + 1);
      await dispatch(batch, 0);
      const found = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
      expect(found).not.toHaveProperty('dispatchFreeAt');
      expect((await client.batch(device, batch)).batch).toMatchObject({
        status: 'failed',
        failureCount: 100,
      });
    });

    it('that was interrupted is completed by the scheduler', async () => {
      await onPlan('large');
      const batch = await client.send(numbers(10));
      jest.spyOn(service.get(BillingService), 'refund').mockRejectedValueOnce(new Error('kill -9'));
      expect((await cancel(batch)).status).toBe(500);
      expect((await usage()).day).toBe(10);
      service.clock.advance(16_000);
      await service.get(BatchRecoveryScheduler).sweep();
      await service.get(BatchRecoveryScheduler).sweep();
      expect((await usage()).day).toBe(0);
    });

    it('finds only batches of the device and the account', async () => {
      const batch = await client.send(['111']);
      const stranger = await service.newAccount();
      const other = await client.newDevice({ model: 'Other' });
      expect((await cancel(batch, other)).status).toBe(404);
      expect((await stranger.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`)).status).toBe(404);
      expect((await cancel('nope')).status).toBe(400);
      expect((await client.batch(device, batch)).batch.failureCount).toBe(0);
    });
  });
});
