import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { AutoRepliesRepository } from '../../src/consent/auto-replies/auto-replies.repository';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { TestClient } from '../support/client';
import { crashAtCall, type CrashPoint } from '../support/crash-at-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NUMBER = '+447700900123';

type Json = Record<string, unknown>;

describe('automatic replies to STOP, START and HELP', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
  });
  beforeEach(async () => {
    transport.pushed.length = 0;
    ({ client, device } = await newShop());
  });
  afterAll(() => service.stop());

  async function newShop(settings: Json = { senderName: 'Bike Shop', contact: 'shop@example.com' }) {
    const shop = await service.newAccount();
    const phone = await shop.newDevice({
      partsPerMinute: null,
      simInfo: {
        sims: [
          { subscriptionId: 1, simSlotIndex: 0 },
          { subscriptionId: 2, simSlotIndex: 1 },
        ],
      },
    });
    await shop.patch('/gateway/consent-settings', settings).expect(200);
    return { client: shop, device: phone };
  }
  const upload = (message: string, fields: Json = {}, to = { client, device }) =>
    to.client.post(`/gateway/devices/${to.device}/receive-sms`, {
      sender: NUMBER,
      message,
      receivedAtInMillis: service.clock.now().getTime(),
      fingerprint: randomUUID(),
      simSubscriptionId: 2,
      ...fields,
    });
  const replies = async (of = client) => {
    const batches = await service
      .collection('batches')
      .find({ user: of.user, purpose: 'consent', acceptance: 'accepted' })
      .sort({ createdAt: 1, _id: 1 })
      .toArray();
    return batches.map(({ createdAt, validUntil, ...batch }) => ({
      ...batch,
      text: String(batch.message),
      createdAt: Number(createdAt),
      validUntil: Number(validUntil),
    }));
  };
  const textsOf = async (of = client) => (await replies(of)).map(({ text }) => text);
  const afterwards = async (ms: number, work: () => Promise<unknown>) => {
    service.clock.advance(ms);
    await work();
  };

  it('confirm a STOP once, from the SIM that got it, past the block, within five minutes', async () => {
    await client.patch('/gateway/consent-settings', { stopCovers: 'everything' }).expect(200);
    await upload('STOP').expect(200);
    await upload('Stop!').expect(200);
    const [reply, ...others] = await replies();
    expect(others).toEqual([]);
    expect(reply).toMatchObject({
      text: 'Bike Shop: you have opted out. Text START to opt in again. Contact: shop@example.com',
      priority: 'urgent',
    });
    expect(Math.round(((reply?.validUntil ?? 0) - (reply?.createdAt ?? 0)) / MINUTE)).toBe(5);
    expect(reply).not.toHaveProperty('quietHours');
    const message = { smsBatch: reply?._id as Types.ObjectId };
    expect(await service.collection('messages').findOne(message)).toMatchObject({
      peerNumber: NUMBER,
      simSubscriptionId: 2,
      device: new Types.ObjectId(device),
    });
    await dispatchWave(service, message.smsBatch);
    expect(await service.collection('messages').findOne(message)).toMatchObject({ status: 'dispatched' });
    expect(transport.pushed).toHaveLength(1);
    const answer = await client.get('/gateway/suppressions').expect(200);
    expect(answer.body).toMatchObject({
      data: [{ confirmation: { state: 'accepted', smsBatchId: String(reply?._id) } }],
    });
    expect((await client.batch(device, String(reply?._id))).batch).toMatchObject({ purpose: 'consent' });
  });

  it('answer HELP, and a START that lifts a block, in the language of the word', async () => {
    await upload('Hilfe');
    expect(await textsOf()).toEqual(['Bike Shop. Kontakt: shop@example.com. Mit STOP melden Sie sich ab.']);
    const other = { sender: '+447700900124' };
    await upload('START', other);
    await upload('DÉSABONNER', other);
    await afterwards(SECOND, () => upload('START', other));
    expect((await textsOf()).slice(1)).toEqual([
      expect.stringContaining('votre désabonnement est enregistré') as string,
      'Bike Shop: you will get our messages again. Text STOP to opt out.',
    ]);
  });

  it('are two in 24 hours at most for a number: the confirmation and one answer, whatever the word', async () => {
    for (let round = 0; round < 4; round += 1)
      for (const word of ['STOP', 'HELP', 'START']) await afterwards(SECOND, () => upload(word));
    expect(await textsOf()).toHaveLength(2);
    await afterwards(24 * HOUR, () => upload('HELP'));
    expect(await textsOf()).toHaveLength(3);
    await upload('STOP');
    expect(await textsOf()).toHaveLength(4);
  });

  it('go to nobody before the account says who writes, and not to short codes, names, or for old texts', async () => {
    const silent = await newShop({ senderName: 'Bike Shop' });
    await upload('HELP', {}, silent);
    await upload('STOP', {}, silent);
    for (const sender of ['12345', 'Bank', '']) await upload('STOP', { sender });
    await upload('STOP', { receivedAtInMillis: service.clock.now().getTime() - 25 * HOUR });
    await client.patch('/gateway/consent-settings', { confirmation: false }).expect(200);
    await upload('STOP', { sender: '+447700900124' });
    await upload('please stop', { sender: '+447700900125' });
    expect([await textsOf(), await textsOf(silent.client)]).toEqual([[], []]);
    const answer = await silent.client.get('/gateway/suppressions').expect(200);
    expect(answer.body).toMatchObject({ data: [{ state: 'out' }] });
    await upload('HELP', { sender: '+447700900124' });
    expect(await textsOf()).toHaveLength(1);
  });

  it('are not sent if the plan is used up or the phone is disabled, which the block says', async () => {
    await service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan: 'free' } });
    await client.send(
      Array.from({ length: 50 }, (_, index) => `+4477009010${String(index).padStart(2, '0')}`),
    );
    await upload('STOP').expect(200);
    const disabled = await newShop();
    await disabled.client.patch(`/gateway/devices/${disabled.device}`, { enabled: false }).expect(200);
    await upload('STOP', {}, disabled).expect(200);
    const refusals = await Promise.all(
      [client, disabled.client].map(async (each) => {
        const answer = await each.get('/gateway/suppressions').expect(200);
        return (answer.body as { data: { confirmation: Json }[] }).data[0]?.confirmation;
      }),
    );
    expect(refusals).toMatchObject([
      { state: 'refused', reason: expect.stringContaining('50 messages a day') as string },
      { state: 'refused', reason: expect.stringContaining('disabled') as string },
    ]);
    await afterwards(MINUTE, () => service.get(BatchRecoveryScheduler).sweep());
    expect([await textsOf(), await textsOf(disabled.client)]).toEqual([[], []]);
  });

  it('are one, however many uploads of a text come at once', async () => {
    const text = { fingerprint: randomUUID() };
    await Promise.all(Array.from({ length: 6 }, () => upload('STOP', text)));
    await upload('STOP', text);
    await Promise.all(Array.from({ length: 6 }, () => upload('STOP')));
    expect(await textsOf()).toHaveLength(1);
  });

  const STEPS: readonly (readonly [string, CrashPoint])[] = [
    ['the request', crashAtCall(AutoRepliesRepository, 'request')],
    ['the text', crashAtCall(MessagesRepository, 'insertReceived')],
    ['the batch', crashAtCall(BatchesRepository, 'insert')],
    ['the acceptance', crashAtCall(BatchesRepository, 'accept')],
    ['the result', crashAtCall(AutoRepliesRepository, 'finish')],
  ];
  it.each(
    STEPS.flatMap(([name, point]) => (['before', 'after'] as const).map((when) => ({ name, point, when }))),
  )('are sent once if the process dies $when $name', async ({ point, when }) => {
    const text = { fingerprint: randomUUID(), receivedAtInMillis: service.clock.now().getTime() };
    const { died } = point(service, when);
    const { status } = await upload('STOP', text);
    await died;
    if (status !== 200) await upload('STOP', text).expect(200);
    // Settings may change meanwhile; the reply does not.
    await client.patch('/gateway/consent-settings', { senderName: 'Ski Shop' }).expect(200);
    await afterwards(MINUTE, () => service.get(BatchRecoveryScheduler).sweep());
    await service.get(BatchRecoveryScheduler).sweep();
    expect(await textsOf()).toEqual([expect.stringContaining('opted out') as string]);
    const stored = await service.collection('autoreplies').find({ user: client.user }).toArray();
    expect(stored).toEqual([expect.objectContaining({ batch: expect.any(Types.ObjectId) as unknown })]);
    expect(stored[0]).not.toHaveProperty('relayDueAt');
  });

  it('are not sent late: after five minutes the reason is stored', async () => {
    const { died } = crashAtCall(BatchesRepository, 'insert')(service, 'before');
    await upload('STOP').expect(200);
    await died;
    await afterwards(6 * MINUTE, () => service.get(BatchRecoveryScheduler).sweep());
    expect(await textsOf()).toEqual([]);
    const stored = await service.collection('autoreplies').findOne({ user: client.user });
    expect(stored).toMatchObject({ refusal: 'It could not be sent within five minutes' });
  });

  it('are one answer if two gateways face each other', async () => {
    const other = await newShop({ senderName: 'Ski Shop', contact: 'STOP STOP' });
    const [own, theirs] = ['+447700900301', '+447700900302'];
    const relayed = new Set<string>();
    await upload('HELP', { sender: theirs });
    for (let round = 0; round < 5; round += 1) {
      for (const [from, to, sender] of [
        [client, other, own],
        [other.client, { client, device }, theirs],
      ] as const) {
        for (const { _id, text } of await replies(from)) {
          if (relayed.has(String(_id))) continue;
          relayed.add(String(_id));
          await afterwards(SECOND, () => upload(text, { sender }, to));
        }
      }
    }
    expect([await textsOf(client), await textsOf(other.client)]).toEqual([
      [expect.stringContaining('Contact: shop@example.com') as string],
      [],
    ]);
  });
});
