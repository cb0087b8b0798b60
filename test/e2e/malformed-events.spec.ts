import { Types } from 'mongoose';
import { IsolatedRelayService } from '../../src/webhooks/relay/isolated-relay.service';
import { OutboxRelayService } from '../../src/webhooks/relay/outbox-relay.service';
import { WebhookSubscriptionsRepository } from '../../src/webhooks/subscriptions/webhook-subscriptions.repository';
import { DatabaseStatsService } from '../../src/ops/database-stats.service';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const MINUTE = 60_000;
const WAITING = { $or: [{ relayDueAt: { $exists: true } }, { relayAloneAt: { $exists: true } }] };

/** No worker runs: each test starts the relay. */
describe('an event that cannot be relayed', () => {
  let api: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeEach(async () => {
    api = await TestService.start({
      environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', APP_ROLES: 'api,scheduler' },
    });
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(api);
    await owner.subscribe(receiver);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await receiver.stop();
    await api.stop();
  });

  const messages = () => api.collection('messages');
  const event = () => ({ event: 'MESSAGE_RECEIVED', at: api.clock.now() });

  /** Stores a malformed message that is relayed before all others. */
  async function storeMalformed(fields: object): Promise<Types.ObjectId> {
    const [template] = await messages().find().sort({ _id: 1 }).limit(1).toArray();
    const id = new Types.ObjectId();
    const relayDueAt = new Date(api.clock.now().getTime() - MINUTE);
    await messages().insertOne({ ...template, fingerprint: String(id), _id: id, relayDueAt, ...fields });
    return id;
  }

  async function relay(): Promise<void> {
    await api.get(OutboxRelayService).relay();
    await api.get(IsolatedRelayService).run();
  }

  const delivered = async () => (await owner.deliveries()).map(({ payload }) => payload.smsId).sort();
  /** Read again if a busy database did not answer in time. */
  const countSetAside = async () =>
    (
      await eventually(
        () => api.get(DatabaseStatsService).read(),
        (stats) => stats !== undefined,
      )
    )?.setAsideEvents;

  it.each([
    ['no account', { user: undefined }],
    ['no device', { device: undefined }],
    ['no text', { message: null }],
    ['an id of another kind', { _id: 'malformed' }],
    ['an outbox that is a text', { outbox: 'MESSAGE_RECEIVED' }],
    ['an event that is null', { outbox: [null] }],
    ['an event of no known name', { outbox: [{ event: 'MESSAGE_LOST', at: new Date() }] }],
    ['an event without a time', { outbox: [{ event: 'MESSAGE_RECEIVED' }] }],
    [
      'an event with an object as its status',
      { outbox: [{ event: 'UNKNOWN_STATE', at: new Date(), reportedStatus: {} }] },
    ],
    ['a time that is a text', { receivedAt: 'yesterday' }],
    ['all of that in two megabytes', { outbox: [null], message: 'x'.repeat(2_000_000) }],
  ])('with %s does not block other events and is set aside', async (_, fields) => {
    const first = await owner.receive('First');
    await storeMalformed({ outbox: [event()], ...fields });
    const second = await owner.receive('Second');
    await relay();
    expect(await delivered()).toEqual([first, second].sort());
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      expect(await countSetAside()).toBe(0);
      api.clock.advance(MINUTE);
      await relay();
    }
    expect(await countSetAside()).toBe(1);
    expect(await messages().countDocuments(WAITING)).toBe(1);
  });

  it('is retried every hour and by the admin command, and relayed once it is valid', async () => {
    await owner.receive('First');
    const bad = await storeMalformed({ outbox: [null] });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await relay();
      api.clock.advance(MINUTE);
    }
    const attempts = async () => (await messages().findOne({ _id: bad }))?.relayAttempts as number;
    const before = await attempts();
    await relay();
    expect(await attempts()).toBe(before);
    api.clock.advance(60 * MINUTE);
    await relay();
    expect(await attempts()).toBe(before + 1);
    await relay();
    expect(await attempts()).toBe(before + 1);
    await messages().updateOne({ _id: bad }, { $set: { outbox: [event()] } });
    expect(await api.get(IsolatedRelayService).retrySetAside()).toBe(1);
    await relay();
    expect(await delivered()).toContain(String(bad));
    expect(await countSetAside()).toBe(0);
    expect(await messages().countDocuments(WAITING)).toBe(0);
    expect(await messages().findOne({ _id: bad })).not.toHaveProperty('relayAttempts');
  });

  it('does not block the other events of its message', async () => {
    await owner.receive('First');
    const bad = await storeMalformed({ outbox: [null, event()] });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await relay();
      api.clock.advance(MINUTE);
    }
    expect((await delivered()).filter((id) => id === String(bad))).toHaveLength(1);
    expect(await countSetAside()).toBe(1);
    await owner.subscribe(receiver, { events: ['MESSAGE_SENT'] });
    await messages().updateOne(
      { _id: bad },
      {
        $set: { relayDueAt: api.clock.now() },
        $push: { outbox: { event: 'MESSAGE_SENT', at: api.clock.now() } as never },
      },
    );
    await relay();
    expect((await owner.deliveries()).map((it) => it.event).sort()).toEqual([
      'MESSAGE_RECEIVED',
      'MESSAGE_RECEIVED',
      'MESSAGE_SENT',
    ]);
    expect((await messages().findOne({ _id: bad }))?.outbox).toEqual([null]);
  });

  it('that kills the process is relayed alone after two attempts, and set aside after three more', async () => {
    await owner.receive('First');
    await relay();
    const bad = await storeMalformed({ outbox: [event()] });
    const validMessage = await owner.receive('Second');
    const subscribers = jest.spyOn(api.get(WebhookSubscriptionsRepository), 'listSubscribers');
    // A dead process never continues.
    const crashes = subscribers.mockImplementation(() => new Promise(() => undefined));
    const crash = async (work: () => Promise<void>) => {
      const before = crashes.mock.calls.length;
      void work();
      while (crashes.mock.calls.length === before) await new Promise((resolve) => setTimeout(resolve, 10));
      api.clock.advance(2 * MINUTE);
    };
    const relayService = api.get(OutboxRelayService);
    await crash(() => relayService.relay());
    await crash(() => relayService.relay());
    const attemptsOn = async (id: Types.ObjectId) =>
      (await messages().findOne({ _id: id }))?.relayAttempts as number;
    expect(await attemptsOn(bad)).toBe(2);
    expect(await attemptsOn(new Types.ObjectId(validMessage))).toBe(2);
    crashes.mockRestore();
    await messages().updateOne({ _id: bad }, { $set: { relayAttempts: 5 } }); // three more, alone
    await relay();
    expect(await delivered()).toContain(validMessage);
    expect(await delivered()).not.toContain(String(bad));
    expect(await countSetAside()).toBe(1);
  });

  it('that fails because of the database is retried and never set aside', async () => {
    const id = await owner.receive('x'.repeat(40_000));
    await messages().updateOne({}, { $set: { message: 'y'.repeat(40_000) } });
    const { MongoServerError } = (await import('mongoose')).mongo;
    const failing = jest
      .spyOn(api.get(WebhookSubscriptionsRepository), 'listSubscribers')
      .mockRejectedValue(new MongoServerError({ message: 'out of memory', code: 146 }));
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await relay();
      api.clock.advance(MINUTE);
    }
    expect(failing.mock.calls.length).toBeGreaterThanOrEqual(8);
    expect(await countSetAside()).toBe(0);
    failing.mockRestore();
    await relay();
    expect(await delivered()).toEqual([id]);
  });
});
