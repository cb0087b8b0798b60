import { TestClient } from '../support/client';
import { TestService } from '../support/service';

const HELLO = { message: 'Hello', recipients: ['+4915112345678'] };
const SIMS = { sims: [{ subscriptionId: 1 }, { subscriptionId: 3 }] };

interface ErrorBody {
  readonly details: { readonly field: string; readonly message: string }[];
  readonly message: string;
}

describe('sends as clients write them', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice({ simInfo: SIMS });
  });
  afterAll(() => service.stop());

  const stored = () => service.collection('messages').find({ user: client.user }).sort({ _id: 1 }).toArray();
  const expectRejected = async (path: string, body: object): Promise<ErrorBody> => {
    const answer = await client.post(`/gateway/${path}`, body);
    expect(answer.status).toBe(400);
    expect(await stored()).toEqual([]);
    return answer.body as ErrorBody;
  };

  describe('simSubscriptionId', () => {
    it.each([
      ['1', 1],
      [' 3 ', 3],
      ['0', undefined],
      [0, undefined],
      [null, undefined],
      ['', undefined],
    ])('reads %j as %j', async (simSubscriptionId, sim) => {
      await client.send(['+4915112345678'], { simSubscriptionId });
      expect((await stored()).map((message) => message.simSubscriptionId as unknown)).toEqual([sim]);
    });

    it('accepts 0 if the phone reports a SIM 0', async () => {
      await client.patch(`/gateway/devices/${device}`, { simInfo: { sims: [{ subscriptionId: 0 }] } });
      await client.send(['+4915112345678'], { simSubscriptionId: 0 });
      expect(await stored()).toMatchObject([{ simSubscriptionId: 0 }]);
    });

    it('rejects every entry with an unknown SIM', async () => {
      const entry = (simSubscriptionId: unknown) => ({ ...HELLO, simSubscriptionId });
      const { details } = await expectRejected('send-bulk-sms', {
        messages: [entry(1), entry('2'), entry(0), entry(9)],
      });
      expect(details).toEqual([
        {
          field: 'messages.1.simSubscriptionId',
          message: 'messages.1.simSubscriptionId 2 is not a SIM of the device; it has 1, 3',
        },
        {
          field: 'messages.3.simSubscriptionId',
          message: 'messages.3.simSubscriptionId 9 is not a SIM of the device; it has 1, 3',
        },
      ]);
    });

    it.each(['one', '1.5', true, '-1'])('rejects %j', async (simSubscriptionId) => {
      const { details } = await expectRejected('send-sms', { ...HELLO, simSubscriptionId });
      expect(details.map(({ field }) => field)).toEqual(['simSubscriptionId']);
    });
  });

  it('treats null as absent in every optional field', async () => {
    const nothing = { simSubscriptionId: null, scheduledAt: null, smsBody: null, receivers: null };
    const single = await client.post('/gateway/send-sms', { ...HELLO, ...nothing, deviceId: null });
    const bulk = await client.post('/gateway/send-bulk-sms', {
      messages: [{ ...nothing, message: null, recipients: null, smsBody: 'x', receivers: ['123'] }],
      messageTemplate: null,
      deviceId: null,
    });
    expect([single.status, bulk.status]).toEqual([200, 200]);
    const [first, second] = await stored();
    for (const message of [first, second]) {
      for (const field of ['simSubscriptionId', 'dispatchDueAt']) expect(message).not.toHaveProperty(field);
    }
  });

  it.each([['scheduledAt'], ['deviceId']])('rejects an empty %s instead of ignoring it', async (field) => {
    expect((await expectRejected('send-sms', { ...HELLO, [field]: '' })).details).toMatchObject([{ field }]);
    const inEntry = field === 'scheduledAt';
    const bulk = {
      messages: [{ ...HELLO, ...(inEntry && { [field]: '' }) }],
      ...(!inEntry && { [field]: '' }),
    };
    const place = inEntry ? `messages.0.${field}` : field;
    expect((await expectRejected('send-bulk-sms', bulk)).details).toMatchObject([{ field: place }]);
  });

  it('uses an alias if its field is absent, and not if it is empty', async () => {
    const aliases = { smsBody: 'Old', receivers: ['+4915112345678'] };
    const fieldsOf = async (path: string, body: object) =>
      (await expectRejected(path, body)).details.map(({ field }) => field);
    for (const path of ['send-sms', 'estimates']) {
      expect(await fieldsOf(path, { message: '', ...aliases })).toEqual(['message']);
      expect(await fieldsOf(path, { recipients: [], ...aliases })).toEqual(['recipients']);
      expect(await fieldsOf(path, { ...HELLO, message: undefined, smsBody: '' })).toEqual(['message']);
    }
    const entry = { message: '', recipients: [], ...aliases };
    expect(
      await fieldsOf('send-bulk-sms', { messages: [HELLO, { ...HELLO, message: '', smsBody: 'x' }] }),
    ).toEqual(['messages.1.message']);
    expect(await fieldsOf('send-bulk-sms', { messages: [entry] })).toEqual(['messages.0']);
  });

  it.each<[unknown]>([
    [{}],
    [{ message: '', recipients: [] }],
    [{ message: '  ', recipients: ['', ' '] }],
    [{ message: null, recipients: null }],
    [null],
    [''],
    [[]],
  ])('rejects a blank entry with its index: %j', async (row) => {
    const { details } = await expectRejected('send-bulk-sms', { messages: [HELLO, row, HELLO] });
    expect(details).toEqual([
      {
        field: 'messages.1',
        message: 'messages.1 is empty: set message and recipients, or remove it',
      },
    ]);
  });

  it('reads numbers in the formats of contact apps', async () => {
    const written = [
      '+44 (0)7700 900123',
      'tel:+44-7700-900123',
      '\u202a+44 7700 900123\u202c',
      '\u2068+447700900123\u2069',
    ];
    await client.send(written);
    expect((await stored()).map(({ recipient }) => recipient as unknown)).toEqual(
      written.map(() => '+447700900123'),
    );
  });

  it('lists up to ten invalid recipients with position and value', async () => {
    const { details } = await expectRejected('send-sms', {
      ...HELLO,
      recipients: ['123', 'abc', 5, null, '+49', '456'],
    });
    expect(details.map(({ message }) => message.split(/ (?:is not|must be)/)[0])).toEqual([
      'recipients.1 "abc"',
      'recipients.2 5',
      'recipients.3',
      'recipients.4 "+49"',
    ]);
    const many = await expectRejected('send-bulk-sms', {
      messages: Array.from({ length: 25 }, (_, index) => ({ message: 'x', recipients: [`no ${index}`] })),
    });
    expect(many.details).toHaveLength(10);
    expect(many.details[9]?.field).toBe('messages.9.recipients.0');
    expect(many.message).toMatch(/; and 15 more$/);
    const { details: long } = await expectRejected('send-sms', { ...HELLO, recipients: ['x'.repeat(5_000)] });
    expect(long[0]?.message.length).toBeLessThan(200);
  });

  describe('after a cancellation', () => {
    const later = () => new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const cancel = (batch: string) => client.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`);

    it('counts cancelled messages separately from failures', async () => {
      const batch = await client.send(['+4915112345678', '+4915112345679'], { scheduledAt: later() });
      expect((await client.batch(device, batch)).batch).toMatchObject({ cancelledCount: 0, failureCount: 0 });
      await cancel(batch);
      const answer = await client.batch(device, batch);
      expect(answer.batch).toMatchObject({ status: 'failed', failureCount: 2, cancelledCount: 2 });
      expect(answer.batch).not.toHaveProperty('error');
      expect(answer.messages.map(({ errorCode }) => errorCode)).toEqual(['CANCELLED', 'CANCELLED']);
    });

    it('returns the failure of a partly cancelled batch', async () => {
      const batch = await client.send(['+4915112345678', '+4915112345679'], { scheduledAt: later() });
      const [first] = (await client.batch(device, batch)).messages;
      await client.report(device, first?._id ?? '', 'FAILED', { errorCode: '4' });
      await cancel(batch);
      expect((await client.batch(device, batch)).batch).toMatchObject({
        failureCount: 2,
        cancelledCount: 1,
        error: expect.stringContaining('no service') as unknown,
      });
    });

    it('reports the cancellation when the send is repeated with its idempotency key', async () => {
      const body = { ...HELLO, recipients: ['+4915112345678', '+4915112345679'], scheduledAt: later() };
      const send = () => client.post('/gateway/send-sms', body).set('Idempotency-Key', 'once');
      const first = (await send()).body as { data: { smsBatchId: string } };
      expect((await send()).body).toEqual(first);
      await cancel(first.data.smsBatchId);
      const again = await send();
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
      expect(again.body).toMatchObject({
        data: { smsBatchId: first.data.smsBatchId, recipientCount: 2, cancelledCount: 2 },
      });
      expect((again.body as { data: { message: string } }).data.message).toContain('This send was cancelled');
    });
  });

  it('returns the message template of the batch', async () => {
    const answer = await client.post('/gateway/send-bulk-sms', {
      messages: [HELLO],
      messageTemplate: 'Hi {name}',
    });
    const { smsBatchId } = (answer.body as { data: { smsBatchId: string } }).data;
    expect((await client.batch(device, smsBatchId)).batch.messageTemplate).toBe('Hi {name}');
  });
});
