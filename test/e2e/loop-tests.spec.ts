import { VirtualPhone } from 'messaging-gateway-phone';
import { LoopTestsRepository } from '../../src/gateway/loop-tests/loop-tests.repository';
import { LoopTestsScheduler } from '../../src/gateway/loop-tests/loop-tests.scheduler';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const NUMBERS = ['+447700900101', '+447700900102'] as const;

interface DirectionJson {
  from: string;
  to: string;
  message?: string;
  result: string;
  reason?: string;
  seconds?: number;
  refusal?: string;
}
interface LoopTestJson {
  sims: { _id: string; phoneNumber?: string; device?: string }[];
  nightly: boolean;
  nightlyHour: number;
  nextRunAt?: string;
  run?: { _id: string; startedAt: string; endedAt?: string; directions: DirectionJson[] };
}

describe('loop tests', () => {
  let service: TestService;
  let second: TestService;
  let client: TestClient;
  let phones: [VirtualPhone, VirtualPhone];
  let sims: [string, string];
  /** Whether the network, or an RCS chat, swallows the texts to a number. */
  let swallowed: string[];

  beforeAll(async () => {
    service = await TestService.start();
    second = await TestService.start({ shared: service, environment: { APP_ROLES: 'scheduler' } });
    for (const each of [service, second]) each.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    swallowed = [];
    phones = [newPhone('A'), newPhone('B')];
    for (const phone of phones) await phone.start();
    for (const [index, phone] of phones.entries()) {
      const other = phones[1 - index];
      phone.on('onAir', ({ recipient, text }) => {
        if (!swallowed.includes(recipient)) void other?.receiveSms(NUMBERS[index] ?? '', text);
      });
    }
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    sims = phones.map(({ deviceId }) => data.find(({ device }) => device === deviceId)?._id) as [
      string,
      string,
    ];
  });
  afterEach(() => Promise.all(phones.map((phone) => phone.stop())));
  afterAll(async () => {
    await second.stop();
    await service.stop();
  });

  const newPhone = (name: string) =>
    new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      name,
      sims: [{ subscriptionId: 1, slot: 0 }],
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
  const dataOf = ({ body }: { body: unknown }) => (body as { data: LoopTestJson }).data;
  const settings = (fields: object = {}) => ({
    sims: sims.map((id, index) => ({ id, phoneNumber: NUMBERS[index] })),
    nightly: false,
    nightlyHour: 3,
    ...fields,
  });
  const setUp = async (fields: object = {}) =>
    dataOf(await client.put('/gateway/loop-tests', settings(fields)).expect(200));
  const read = async () => dataOf(await client.get('/gateway/loop-tests').expect(200));
  const run = async () => dataOf(await client.post('/gateway/loop-tests/runs').expect(201));
  const check = () => Promise.all([service, second].map((each) => each.get(LoopTestsScheduler).check()));
  const untilEnded = (
    isEnded: (test: LoopTestJson) => boolean = ({ run: last }) => last?.endedAt !== undefined,
  ) =>
    eventually(async () => {
      service.clock.advance(5_000);
      await check();
      return read();
    }, isEnded);
  const results = ({ run: last }: LoopTestJson) =>
    last?.directions.map(({ result, reason }) => [result, reason]);
  const untilReported = (test: LoopTestJson, status = 'delivered') =>
    eventually(
      () =>
        Promise.all(
          (test.run?.directions ?? []).map(async ({ message }) => {
            const answer = await client.get(`/gateway/messages/${String(message)}`);
            return (answer.body as { data: { status: string; isLoopTest?: boolean } }).data;
          }),
        ),
      (messages) => messages.every((message) => message.status === status),
    );
  const problems = async () => {
    const { data } = (await client.get('/gateway/problems')).body as {
      data: { code: string; text: string; remedy: string; subject: { id?: string } }[];
    };
    return data.filter(({ code }) => code === 'loop_test_failed');
  };

  it('show how long a text takes in each direction, in messages that are counted and marked', async () => {
    const before = (await client.get('/billing/current-subscription')).body as {
      usage: { processedSmsToday: number };
    };
    expect(await setUp()).toEqual({
      sims: sims.map((_id, index) => ({
        _id,
        name: NUMBERS[index],
        phoneNumber: NUMBERS[index],
        device: phones[index]?.deviceId,
        isPresent: true,
      })),
      nightly: false,
      nightlyHour: 3,
    });
    const started = await run();
    expect(started.run?.directions).toHaveLength(2);
    await Promise.all(phones.map((phone) => phone.until('received', 1)));
    const ended = await untilEnded();
    expect(ended.run?.directions).toEqual(
      [0, 1].map((index) => ({
        from: sims[index],
        to: sims[1 - index],
        message: expect.any(String) as string,
        result: 'arrived',
        seconds: expect.any(Number) as number,
      })),
    );
    const messages = await untilReported(ended);
    expect(messages).toEqual(messages.map(() => expect.objectContaining({ isLoopTest: true }) as object));
    const { data: received } = (await client.get('/gateway/messages?type=received')).body as {
      data: object[];
    };
    expect(received).toEqual([1, 2].map(() => expect.objectContaining({ isLoopTest: true }) as object));
    const after = (await client.get('/billing/current-subscription')).body as typeof before;
    expect(after.usage.processedSmsToday - before.usage.processedSmsToday).toBe(4);
    expect(await problems()).toEqual([]);
  });

  it('that lose a text are a problem which says that RCS chats swallow texts, until the next one succeeds', async () => {
    await setUp();
    swallowed = [NUMBERS[1]];
    const started = await run();
    await untilReported(started);
    await phones[0].until('received', 1);
    await check();
    expect(results(await read())).toEqual([
      ['waiting', undefined],
      ['arrived', undefined],
    ]);
    expect(await problems()).toEqual([]);
    service.clock.advance(10 * MINUTE);
    expect(results(await untilEnded())).toEqual([
      ['lost', 'not_received'],
      ['arrived', undefined],
    ]);
    expect(await problems()).toEqual([
      expect.objectContaining({
        text: `The loop test failed: a text from the SIM ${NUMBERS[0]} to the SIM ${NUMBERS[1]} did not arrive.`,
        remedy: expect.stringContaining('RCS') as string,
        subject: { type: 'sim', id: sims[1], name: NUMBERS[1] },
      }),
    ]);
    const receivingOf = async (index: 0 | 1) => {
      const answer = await client.get(`/gateway/devices/${phones[index].deviceId}/checkup`).expect(200);
      const { checks } = (answer.body as { data: { checks: { code: string; finding: string }[] } }).data;
      return checks.find(({ code }) => code === 'receiving')?.finding;
    };
    expect([await receivingOf(0), await receivingOf(1)]).toEqual(['receiving', 'loop_test_lost']);

    swallowed = [];
    await run();
    await untilEnded();
    expect(await problems()).toEqual([]);
  });

  it('say that a send was refused, and that receiving is off', async () => {
    await setUp();
    await client.patch(`/gateway/devices/${phones[0].deviceId}`, { enabled: false }).expect(200);
    const started = await run();
    expect(started.run?.directions[0]).toMatchObject({
      result: 'not_sent',
      reason: 'refused',
      refusal: expect.stringContaining('disabled') as string,
    });
    swallowed = [NUMBERS[0]];
    await eventually(
      () => service.collection('messages').countDocuments({ user: client.user, status: 'delivered' }),
      (count) => count === 1,
    );
    service.clock.advance(11 * MINUTE);
    expect(results(await untilEnded())).toEqual([
      ['not_sent', 'refused'],
      ['lost', 'receiving_off'],
    ]);
  });

  it('send each text once if the process dies after the sends, and run one at a time', async () => {
    await setUp();
    swallowed = [...NUMBERS];
    crashAtCall(LoopTestsRepository, 'store')(service, 'before');
    await client.post('/gateway/loop-tests/runs').expect(500);
    const others = await Promise.all([1, 2].map(() => client.post('/gateway/loop-tests/runs')));
    expect(others.map(({ body }) => (body as { code: string }).code)).toEqual([
      'LOOP_TEST_RUNNING',
      'LOOP_TEST_RUNNING',
    ]);
    await check();
    await untilReported(await read());
    expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(2);
    expect((await read()).run?.directions.map(({ message }) => typeof message)).toEqual(['string', 'string']);
  });

  it('run each night, once, although two processes look', async () => {
    const { nextRunAt } = await setUp({ nightly: true, nightlyHour: 4 });
    expect(nextRunAt).toMatch(/T04:00:00\.000Z$/);
    const nights = () =>
      Promise.all([service, second].map((each) => each.get(LoopTestsScheduler).startNightly()));
    await nights();
    expect((await read()).run).toBeUndefined();
    service.clock.advance(new Date(String(nextRunAt)).getTime() - service.clock.now().getTime() + 1_000);
    await nights();
    const next = await read();
    expect(next.run).toBeDefined();
    expect(new Date(String(next.nextRunAt)).getTime() - new Date(String(nextRunAt)).getTime()).toBe(
      1_440 * MINUTE,
    );
    await check();
    await eventually(
      () => service.collection('messages').countDocuments({ user: client.user, direction: 'sent' }),
      (count) => count === 2,
    );
    expect((await setUp({ nightly: false })).nextRunAt).toBeUndefined();
  });

  it.each<[string, (valid: ReturnType<typeof settings>) => object, string]>([
    ['one SIM', ({ sims: chosen }) => ({ sims: chosen.slice(0, 1) }), 'sims must name two SIMs'],
    ['no SIM for nightly tests', () => ({ sims: [], nightly: true }), 'sims must name two SIMs'],
    ['the same SIM twice', ({ sims: [one] }) => ({ sims: [one, one] }), 'sims.1.id must be another SIM'],
    [
      'a SIM of nobody',
      ({ sims: [one] }) => ({ sims: [one, { id: '665f1c2ab7e1d4a9c0f3e812' }] }),
      'sims.1.id is not a SIM of the account',
    ],
    [
      'a SIM without a number',
      ({ sims: [one, other] }) => ({ sims: [one, { id: other?.id }] }),
      'sims.1.phoneNumber is needed',
    ],
    [
      'one number for both',
      ({ sims: [one, other] }) => ({ sims: [one, { id: other?.id, phoneNumber: one?.phoneNumber }] }),
      'sims.1.phoneNumber must be another number',
    ],
    [
      'a number that is none',
      ({ sims: [one, other] }) => ({ sims: [one, { id: other?.id, phoneNumber: 'nobody' }] }),
      'phoneNumber must be a phone number',
    ],
    ['an hour that is none', () => ({ nightlyHour: 24 }), 'nightlyHour'],
  ])('refuse %s', async (_, change, message) => {
    const answer = await client.put('/gateway/loop-tests', settings(change(settings())));
    expect(answer.status).toBe(400);
    expect((answer.body as { message: string }).message).toContain(message);
    expect(await read()).toEqual({ sims: [], nightly: false, nightlyHour: 3 });
    const { data } = (await client.get('/gateway/sims')).body as { data: { phoneNumber?: string }[] };
    expect(data.map(({ phoneNumber }) => phoneNumber)).toEqual([undefined, undefined]);
  });
});
