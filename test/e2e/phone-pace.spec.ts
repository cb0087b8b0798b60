import { Types } from 'mongoose';
import { SmsUsageMonitor } from 'messaging-gateway-phone';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import type { Message } from '../../src/messages/message.schema';
import { partsOf } from '../../src/messages/text/segments';
import type { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);
const textOf = (parts: number) =>
  parts > 10 ? 'я'.repeat(parts * 67) : 'a'.repeat(parts === 1 ? 10 : parts * 153);

describe('the pace of a phone', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;
  let pushedAt: Map<string, number>;

  // No worker and no timer runs: `sendAll` does what they do.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    pushedAt = new Map();
    transport.resultOf = (id) => {
      pushedAt.set(id, service.clock.now().getTime());
      return { outcome: 'accepted' };
    };
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const now = () => service.clock.now().getTime();
  const stored = () =>
    service
      .collection('messages')
      .find({ user: client.user })
      .sort({ _id: 1 })
      .toArray() as unknown as Promise<Message[]>;
  const send = async (count: number, parts: number, fields: object = {}) => {
    const answer = await client.post('/gateway/send-sms', {
      message: textOf(parts),
      recipients: numbers(count),
      ...fields,
    });
    return (answer.body as { data: { smsBatchId: string; estimatedCompletionAt?: string } }).data;
  };
  const dispatch = (batch: unknown, wave = 0) => dispatchWave(service, String(batch), wave);

  /** Dispatches what is due, again and again, with the clock at the time when the next message is due. */
  async function sendAll(until = Infinity): Promise<void> {
    for (let step = 0; step < 500; step++) {
      const pending = (await stored()).filter(({ status }) => status === 'pending');
      const next = Math.min(...pending.map(({ nextDispatchAt }) => nextDispatchAt?.getTime() ?? Infinity));
      if (next > until || pending.length === 0) return;
      service.clock.advance(Math.max(0, next - now()));
      const due = pending.filter(({ nextDispatchAt }) => nextDispatchAt && nextDispatchAt.getTime() <= now());
      const waves = new Map(
        due.map(({ smsBatch, wave }) => [`${String(smsBatch)} ${wave}`, [smsBatch, wave]]),
      );
      await Promise.all([...waves.values()].map(([batch, wave]) => dispatch(batch, Number(wave))));
    }
    throw new Error('Not all messages leave');
  }

  /** What Android, which lets an app send 30 parts a minute, allows of what was pushed. */
  async function refusedByAndroid(): Promise<number> {
    const android = new SmsUsageMonitor(30);
    const messages = (await stored()).flatMap((message) => {
      const at = pushedAt.get(message._id.toHexString());
      return at === undefined ? [] : [{ at, parts: partsOf(message) }];
    });
    const inOrder = messages.sort((one, other) => one.at - other.at);
    return inOrder.filter(({ at, parts }) => !android.allows(parts, at)).length;
  }

  it('splits 20 recipients of nine parts into waves, of which Android refuses none', async () => {
    const startedAt = now();
    const estimate = await client.post('/gateway/estimates', { message: textOf(9), recipients: numbers(20) });
    const { smsBatchId, estimatedCompletionAt } = await send(20, 9);
    expect(estimatedCompletionAt).toBe(new Date(startedAt + 20 * 22_500).toISOString());
    expect(estimate.body).toMatchObject({ data: { estimatedCompletionAt, parts: 180 } });
    const { messages } = await client.batch(device, smsBatchId);
    expect(messages.map(({ dispatchDueAt }) => Date.parse(String(dispatchDueAt)) - startedAt).sort()).toEqual(
      Array.from({ length: 20 }, (_, index) => index * 22_500).sort(),
    );
    await sendAll();
    expect(pushedAt.size).toBe(20);
    expect(await refusedByAndroid()).toBe(0);
    expect(now()).toBe(startedAt + 19 * 22_500);
  });

  it.each([8, 11, 16])(
    'leaves room between texts of %d parts, of which few fit into a minute',
    async (parts) => {
      await send(6, parts);
      await sendAll();
      expect(pushedAt.size).toBe(6);
      expect(await refusedByAndroid()).toBe(0);
    },
  );

  it('has small sends follow each other, also those that are dispatched at the same time', async () => {
    const startedAt = now();
    const batches: string[] = [];
    for (let sends = 0; sends < 5; sends++) {
      const { smsBatchId, estimatedCompletionAt } = await send(4, 3);
      expect(estimatedCompletionAt).toBeUndefined();
      batches.push(smsBatchId);
    }
    expect((await stored()).filter(({ dispatchDueAt }) => dispatchDueAt)).toEqual([]);
    await Promise.all(batches.map((batch) => dispatch(batch)));
    // The first leaves at once, and the others know when they can.
    expect(pushedAt.size).toBe(4);
    const waiting = (await stored()).filter(({ status }) => status === 'pending');
    const slots = waiting.map(({ waitingFor }) => (waitingFor?.until?.getTime() ?? 0) - startedAt);
    expect(slots.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, index) => 22_500 + index * 7_500),
    );
    await sendAll();
    expect(pushedAt.size).toBe(20);
    expect(await refusedByAndroid()).toBe(0);
    expect(now()).toBe(startedAt + 22_500 + 15 * 7_500);
  });

  it('lets a minute of parts leave together, and single messages after it as parts are refilled', async () => {
    const { smsBatchId } = await send(24, 1);
    await dispatch(smsBatchId);
    expect(pushedAt.size).toBe(24);
    const singles = [await send(1, 1), await send(1, 1)];
    for (const each of singles) await dispatch(each.smsBatchId);
    expect(pushedAt.size).toBe(24);
    const startedAt = now();
    await sendAll();
    expect(now() - startedAt).toBe(50_000);
    expect(await refusedByAndroid()).toBe(0);
  });

  it('never delays urgent messages, and never delays a single one for a campaign', async () => {
    await send(20, 9);
    await sendAll(now());
    const single = await send(1, 1);
    await dispatch(single.smsBatchId);
    expect(pushedAt.size).toBe(2);
    expect((await stored()).at(-1)).not.toHaveProperty('dispatchDueAt');
    await dispatch((await send(4, 6)).smsBatchId);
    const before = pushedAt.size;
    const urgent = await send(1, 1, { priority: 'urgent' });
    await dispatch(urgent.smsBatchId);
    expect(pushedAt.size).toBe(before + 1);
    // The campaign waits for them.
    service.clock.advance(22_500);
    await service.get(DispatchScheduler).dispatchOverdue();
    const paced = (await stored()).find(({ wave }) => wave === 1);
    await dispatch(paced?.smsBatch, 1);
    expect((await stored()).find(({ wave }) => wave === 1)?.waitingFor?.reason).toBe('parts_per_minute');
    await sendAll();
    expect(pushedAt.size).toBe(26);
  });

  it('splits 50 recipients of one part into waves, unless the phone takes any number of parts', async () => {
    const { estimatedCompletionAt } = await send(50, 1);
    // The phone waits five seconds between messages.
    expect(estimatedCompletionAt).toBe(new Date(now() + 50 * 5_000).toISOString());
    await sendAll();
    expect(pushedAt.size).toBe(50);
    expect(await refusedByAndroid()).toBe(0);
    await client.patch(`/gateway/devices/${device}`, { partsPerMinute: null });
    const unlimited = await send(50, 9);
    expect(unlimited).not.toHaveProperty('estimatedCompletionAt');
    await dispatch(unlimited.smsBatchId);
    expect(pushedAt.size).toBe(100);
  });

  it('takes no more bookings than for half an hour, and hands out all of them', async () => {
    await service
      .collection('devices')
      .updateOne(
        { _id: new Types.ObjectId(device) },
        { $set: { pacedUntil: now() + 31 * MINUTE, smallSendsPacedUntil: now() + 31 * MINUTE } },
      );
    const startedAt = now();
    const { smsBatchId } = await send(2, 1);
    await dispatch(smsBatchId);
    const held = await stored();
    expect(held.map(({ waitingFor }) => waitingFor)).toEqual([
      { reason: 'parts_per_minute' },
      { reason: 'parts_per_minute' },
    ]);
    expect(held[0]?.nextDispatchAt?.getTime()).toBe(startedAt + 10 * MINUTE);
    await sendAll();
    expect([...pushedAt.values()].map((at) => at - startedAt)).toEqual([
      31 * MINUTE - 5 * 2_500,
      31 * MINUTE - 4 * 2_500,
    ]);
  });

  it('books a slot again that was missed', async () => {
    await dispatch((await send(24, 1)).smsBatchId);
    const { smsBatchId } = await send(20, 1);
    await dispatch(smsBatchId);
    // No worker was running.
    service.clock.advance(10 * MINUTE);
    await dispatch((await send(10, 1)).smsBatchId);
    await sendAll();
    expect(pushedAt.size).toBe(54);
    expect(await refusedByAndroid()).toBe(0);
    expect((await stored()).filter(({ paceSlot }) => paceSlot)).toEqual([]);
  });
});
