import fc from 'fast-check';
import { Types } from 'mongoose';
import { Device } from '../../../devices/store/device.schema';
import { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { type Assignment, assignToDevice, type Sender } from '../../senders/assignment';
import { laneKey, laneMessageMs, laneOf } from '../../senders/lane';
import { partsOf } from '../../../messages/text/segments';
import { laneEnds, planSend, slotsOf, splitSend } from './send-plan';
import type { SendEntry } from '../../send-input/send-validation';

const LIMITS = { waveMs: 5_000, waveSize: 50 };
const NOW = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-02T12:00:00Z');
const seconds = (count: number) => new Date(NOW.getTime() + count * 1_000);

const deviceOf = (fields: Partial<Device> = {}): Device =>
  Object.assign(new Device(), { _id: new Types.ObjectId(), smsSendDelaySeconds: 5, ...fields });
const simOf = (partsPerMinute?: number): SimRecord =>
  Object.assign(new SimRecord(), {
    _id: new Types.ObjectId(),
    ...(partsPerMinute !== undefined && { limits: { partsPerMinute } }),
  });
const entryOf = (count: number, fields: Partial<SendEntry> = {}): SendEntry => ({
  message: 'Hello',
  parts: partsOf({ message: 'Hello', ...fields }),
  recipients: Array.from({ length: count }, (_, index) => `+49151${10_000 + index}`),
  ...fields,
});

/** Assigns messages to these senders in turn. */
function inTurn(senders: readonly [Sender, ...Sender[]]): Assignment {
  const [first] = senders;
  return {
    pool: new Types.ObjectId(),
    senders,
    devices: [first.device],
    senderOf: (_, recipient) => senders[recipient % senders.length] ?? first,
  };
}

function planOf(entries: readonly SendEntry[], assignment: Assignment, freeAt = NOW) {
  const split = splitSend({ entries }, assignment, LIMITS);
  const starts = new Map(slotsOf(split).map(({ lane }) => [laneKey(lane), freeAt]));
  return { split, starts, plan: planSend(split, starts) };
}

describe('the plan of a send', () => {
  it('has one lane without a pool, which stores no lane', () => {
    const device = deviceOf();
    const entries = [entryOf(60), entryOf(60, { scheduledAt: LATER })];
    const { split, plan } = planOf(entries, assignToDevice(device));
    expect(slotsOf(split)).toMatchObject([{ lane: { device: device._id }, durationMs: 300_000 }]);
    expect(plan.groups).toEqual([
      { count: 60, firstWave: 0, waves: 60, durationMs: 300_000, startAt: NOW, planned: true },
      { scheduledAt: LATER, count: 60, firstWave: 60, waves: 60, durationMs: 300_000, planned: false },
    ]);
    expect(plan.estimatedCompletionAt).toEqual(new Date(LATER.getTime() + 300_000));
    const messages = [...plan.messages()];
    expect(messages[1]).toMatchObject({ wave: 1, dueAt: seconds(5), sender: { device } });
    expect(messages[119]).toMatchObject({ wave: 119, dueAt: LATER, waveOffsetMs: 295_000 });
  });

  it('reserves nothing for a lane whose messages fit into one wave', () => {
    const senders = [{ device: deviceOf() }, { device: deviceOf() }] as const;
    const { split, plan } = planOf([entryOf(48)], inTurn(senders));
    expect(slotsOf(split)).toEqual([]);
    expect(plan.groups.map(({ count, firstWave, waves }) => [count, firstWave, waves])).toEqual([
      [24, 0, 1],
      [24, 1, 1],
    ]);
    expect(plan.estimatedCompletionAt).toBeUndefined();
    const second = [...plan.messages()][1];
    expect(second?.wave).toBe(1);
    expect(second).not.toHaveProperty('dueAt');
  });

  it('has the lanes run beside each other, and ends with the last one', () => {
    const slow = { device: deviceOf() };
    const fast = { device: deviceOf({ smsSendDelaySeconds: 1, partsPerMinute: null }) };
    const { split, starts, plan } = planOf([entryOf(200)], inTurn([slow, fast]));
    expect(plan.groups.map(({ device, startAt, durationMs }) => ({ device, startAt, durationMs }))).toEqual([
      { device: slow.device._id, startAt: NOW, durationMs: 500_000 },
      { device: fast.device._id, startAt: NOW, durationMs: 100_000 },
    ]);
    expect(plan.estimatedCompletionAt).toEqual(seconds(500));
    expect(laneEnds(split, starts, NOW).get(laneKey(laneOf(fast)))).toEqual(seconds(100));
  });

  it('has scheduled campaigns of a lane start when they are due and it is free', () => {
    const device = deviceOf();
    const lane = laneKey(laneOf({ device }));
    const entries = [
      entryOf(60),
      entryOf(60, { scheduledAt: seconds(60) }),
      entryOf(1, { scheduledAt: LATER }),
    ];
    const busyUntil = planOf(entries, assignToDevice(device), seconds(30));
    // 300 s each: from 30 to 330, and then to 630.
    expect(busyUntil.plan.estimatedCompletionAt).toEqual(seconds(630));
    expect(laneEnds(busyUntil.split, busyUntil.starts, NOW).get(lane)).toEqual(
      new Date(LATER.getTime() + 5_000),
    );
    const scheduled = splitSend({ entries: entries.slice(1, 2) }, assignToDevice(device), LIMITS);
    const endIf = (freeAt: Date) => planSend(scheduled, new Map([[lane, freeAt]])).estimatedCompletionAt;
    expect([endIf(NOW), endIf(seconds(90))]).toEqual([seconds(360), seconds(390)]);
    const urgent = { ...scheduled, isUrgent: true };
    expect(laneEnds(urgent, new Map([[lane, seconds(90)]]), NOW).get(lane)).toEqual(seconds(360));
  });

  it('gives a SIM with a pace of its own a lane, and has the others share that of their phone', () => {
    const device = deviceOf({ smsSendDelaySeconds: 0 });
    const [own, shared, other] = [simOf(600), simOf(), simOf()].map((sim) => ({ device, sim })) as [
      Sender,
      Sender,
      Sender,
    ];
    const { plan } = planOf([entryOf(300)], inTurn([own, shared, other]));
    expect(plan.groups.map(({ sim, count, durationMs }) => ({ sim, count, durationMs }))).toEqual([
      // 600 parts a minute, without the delay of the phone.
      { sim: own.sim?._id, count: 100, durationMs: 10_000 },
      { sim: undefined, count: 200, durationMs: 200 * 2_500 },
    ]);
    expect(laneMessageMs(3, own)).toBe(300);
    expect(laneMessageMs(1, { ...own, device: deviceOf({ smsSendDelaySeconds: 2 }) })).toBe(2_000);
  });

  const senderSet = fc
    .array(
      fc.record({
        delay: fc.integer({ min: 0, max: 5 }),
        partsPerMinute: fc.constantFrom(null, undefined, 30, 600),
        ownPaces: fc.array(fc.constantFrom(undefined, 24, 600), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((phones) =>
      phones.flatMap(({ delay, partsPerMinute, ownPaces }): Sender[] => {
        const device = deviceOf({ smsSendDelaySeconds: delay, partsPerMinute });
        return ownPaces.map((pace) => ({ device, sim: simOf(pace) }));
      }),
    );
  const entrySet = fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 150 }),
      length: fc.constantFrom(1, 161, 1_000),
      scheduledAt: fc.constantFrom(undefined, LATER, seconds(60)),
    }),
    { minLength: 1, maxLength: 4 },
  );

  it('holds each message once, in a wave of its lane, and no lane is handed more than it sends meanwhile', () => {
    fc.assert(
      fc.property(senderSet, entrySet, fc.infiniteStream(fc.nat()), (senders, shapes, picks) => {
        const entries = shapes.map(({ count, length, scheduledAt }) =>
          entryOf(count, { message: 'x'.repeat(length), ...(scheduledAt && { scheduledAt }) }),
        );
        const senderAt = (index: number): Sender => senders[index % senders.length] ?? { device: deviceOf() };
        const chosen = new Map(
          entries.map((entry) => [entry, entry.recipients.map(() => senderAt(Number(picks.next().value)))]),
        );
        const assignment: Assignment = {
          pool: new Types.ObjectId(),
          senders,
          devices: [senderAt(0).device],
          senderOf: (entry, recipient) => chosen.get(entry)?.[recipient] ?? senderAt(0),
        };
        const { plan } = planOf(entries, assignment);
        const messages = [...plan.messages()];
        // Each message once, from the sender that was chosen for it.
        for (const entry of entries) {
          const planned = messages.filter((message) => message.entry === entry);
          expect(planned.map(({ recipient }) => recipient)).toEqual(entry.recipients);
          expect(planned.map(({ sender }) => sender)).toEqual(chosen.get(entry));
        }
        expect(messages.length).toBe(entries.reduce((sum, { recipients }) => sum + recipients.length, 0));
        let nextWave = 0;
        for (const group of plan.groups) {
          expect(group.firstWave).toBe(nextWave);
          nextWave += group.waves;
          const own = messages.filter(({ wave }) => wave >= group.firstWave && wave < nextWave);
          expect(own.length).toBe(group.count);
          let last = { wave: -1, at: -1 };
          let busyUntil = 0;
          for (const { wave, sender, entry, dueAt, waveOffsetMs } of own) {
            expect(laneOf(sender)).toEqual({ device: group.device, ...(group.sim && { sim: group.sim }) });
            expect(entry.scheduledAt).toEqual(group.scheduledAt);
            const at =
              waveOffsetMs ?? (group.startAt && dueAt ? dueAt.getTime() - group.startAt.getTime() : 0);
            expect(wave).toBeGreaterThanOrEqual(last.wave);
            if (wave > last.wave) {
              expect(at).toBe(busyUntil);
              last = { wave, at };
            }
            expect(at).toBe(last.at);
            busyUntil += laneMessageMs(Math.ceil(entry.message.length / 153) || 1, sender);
          }
          if (group.durationMs !== undefined) expect(busyUntil).toBe(group.durationMs);
        }
      }),
      { numRuns: 60 },
    );
  });
});
