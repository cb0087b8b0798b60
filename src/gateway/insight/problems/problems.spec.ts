import { Types } from 'mongoose';
import { toPlanSubscription } from '../../../billing/plan-subscription';
import type { Device } from '../../../devices/store/device.schema';
import { DeviceNotPushable, FirebaseNotConfigured } from '../../../devices/store/devices.errors';
import type { PhoneFacts } from '../../../devices/problems/phone-facts';
import { healthOf, problemsOfPhone } from '../../../devices/problems/phone-problems';
import { type SimLimits, SimRecord } from '../../../devices/sims/schemas/sim.schema';
import type { SimView } from '../../../devices/sims/sims.service';
import type { LoopOutcome } from '../../loop-tests/loop-test-rules';
import type { LoopLeg } from '../../loop-tests/loop-test.schema';
import type { WebhookSubscription } from '../../../webhooks/webhook-subscription.schema';
import { PROBLEM_CODES, type ProblemCode, type ProblemFacts, problemsOf } from './problems';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const MIDNIGHT = new Date('2026-02-01T00:00:00Z');
const USER = new Types.ObjectId();

const sim = (fields: Partial<Omit<SimView, 'sim'>> = {}, record: Partial<SimRecord> = {}): SimView => ({
  sim: Object.assign(new SimRecord(), { _id: new Types.ObjectId(), enabled: true, label: 'Work' }, record),
  usage: {},
  health: { state: 'closed', failureRate: 0.02 },
  ...fields,
});
const used = (limits: SimLimits, usage: SimView['usage']) => sim({ usage }, { limits });
const phone = (
  fields: Partial<Omit<PhoneFacts, 'device' | 'now'>> = {},
  device: Partial<Device> = {},
): PhoneFacts => ({
  now: NOW,
  device: {
    _id: new Types.ObjectId(),
    enabled: true,
    receiveSMSEnabled: true,
    model: 'Pixel 8',
    name: 'Front desk',
    pushTransport: 'stream',
    ...device,
  } as Device,
  connection: { state: 'online', since: ago(60) },
  pushError: undefined,
  sims: [sim()],
  ...fields,
});
const plan = (dayCount: number, monthCount: number, dailyLimit = 50, monthlyLimit = 300) =>
  toPlanSubscription(
    { _id: 'free', displayName: 'Free', dailyLimit, monthlyLimit, bulkSendLimit: 50 },
    { _id: USER, day: '2026-01-31', dayCount, month: '2026-01', monthCount, reserved: [], returned: [] },
    NOW,
  );
const webhook = (fields: Partial<WebhookSubscription>) =>
  ({
    _id: new Types.ObjectId(),
    name: 'Orders',
    deliveryUrl: 'https://example.com/hook',
    isActive: true,
    failingAttempts: 0,
    notes: [],
    ...fields,
  }) as unknown as WebhookSubscription;

const facts = (fields: Partial<ProblemFacts> = {}): ProblemFacts => ({
  now: NOW,
  account: { id: USER, email: 'ada@example.com', isVerified: true },
  subscription: plan(0, 0),
  phones: [phone()],
  pools: [],
  webhooks: [],
  waiting: new Map(),
  drained: new Set(),
  ...fields,
});
const offline = { state: 'offline', since: ago(9) } as const;
const drained = phone({}, { drainingSince: ago(30) });
const paused = sim({}, { enabled: false });

const listener = sim({}, { label: 'Desk' });
const loopLeg = ({ sim: { _id } }: SimView, outcome: LoopOutcome): LoopLeg => ({
  from: _id,
  to: _id,
  fromDevice: USER,
  toDevice: USER,
  number: '+447700900123',
  nonce: 'ABCDEFGH2345',
  ...outcome,
});

/** Facts with one problem, by its code. */
const CASES: Record<Exclude<ProblemCode, 'phone_disabled'>, { facts: ProblemFacts; problem: object }> = {
  push_not_set_up: {
    facts: facts({ phones: [1, 2].map(() => phone({ pushError: new FirebaseNotConfigured() })) }),
    problem: {
      severity: 'error',
      subject: { type: 'service', name: 'Push notifications' },
      text: expect.stringContaining('2 phones') as string,
      remedy: expect.stringContaining('FIREBASE_PROJECT_ID') as string,
    },
  },
  phone_offline: {
    facts: facts({ phones: [phone({ connection: offline })] }),
    problem: { severity: 'error', since: ago(9), text: 'Front desk cannot be reached.' },
  },
  phone_unresponsive: {
    facts: facts({ phones: [phone({ connection: { state: 'unresponsive', since: ago(3) } })] }),
    problem: { severity: 'error', since: ago(3) },
  },
  phone_fetches_rarely: {
    facts: facts({ phones: [phone({}, { usesOwnPush: true })] }),
    problem: { severity: 'warning', remedy: expect.stringContaining('SSE Only') as string },
  },
  incoming_messages_ignored: {
    facts: facts({ phones: [phone({}, { receiveSMSEnabled: false, lastIgnoredSmsAt: ago(60) })] }),
    problem: {
      severity: 'warning',
      text: 'Front desk has receiving switched off, but messages arrive there: in the last seven days some were ignored and not stored.',
      remedy: expect.stringContaining('Switch on receiving') as string,
    },
  },
  battery_optimization_on: {
    facts: facts({
      phones: [phone({}, { powerInfo: { lastUpdated: NOW, isIgnoringBatteryOptimizations: false } })],
    }),
    problem: { severity: 'warning', remedy: expect.stringContaining('unrestricted') as string },
  },
  battery_low: {
    facts: facts({
      phones: [phone({}, { batteryInfo: { lastUpdated: NOW, percentage: 15, isCharging: false } })],
    }),
    problem: { severity: 'warning', text: 'The battery of Front desk is at 15 % and is not charging.' },
  },
  sim_unhealthy: {
    facts: facts({
      phones: [phone({ sims: [sim({ health: { state: 'open', failureRate: 0.9, since: ago(5) } })] })],
    }),
    problem: { severity: 'error', since: ago(5), subject: { type: 'sim', name: 'Work' } },
  },
  sim_limit_reached: {
    facts: facts({
      phones: [
        phone({
          sims: [used({ messagesPerDay: 1_200 }, { messagesPerDay: { used: 1_200, resetsAt: MIDNIGHT } })],
        }),
      ],
    }),
    problem: {
      severity: 'info',
      until: MIDNIGHT,
      text: 'The SIM "Work" has reached a limit: 1,200 of 1,200 messages a day.',
    },
  },
  sim_limit_near: {
    facts: facts({
      phones: [
        phone({
          sims: [
            used({ recipientsPerMonth: 250 }, { recipientsPerMonth: { used: 200, resetsAt: MIDNIGHT } }),
          ],
        }),
      ],
    }),
    problem: {
      severity: 'info',
      until: MIDNIGHT,
      text: 'The SIM "Work" is near a limit: 200 of 250 recipients a month.',
    },
  },
  phone_drained: {
    facts: facts({ phones: [drained, phone()], drained: new Set([drained.device._id.toHexString()]) }),
    problem: { severity: 'info', since: ago(30), subject: { type: 'device', name: 'Front desk' } },
  },
  no_phone: {
    facts: facts({ phones: [] }),
    problem: { severity: 'warning', subject: { type: 'account', id: USER, name: 'ada@example.com' } },
  },
  no_enabled_phone: {
    facts: facts({ phones: [phone({}, { enabled: false }), drained] }),
    problem: { severity: 'error', subject: { type: 'account', id: USER, name: 'ada@example.com' } },
  },
  pool_unusable: {
    facts: facts({ pools: [{ _id: USER, name: 'All', sims: [new Types.ObjectId()] }] }),
    problem: { severity: 'error', subject: { type: 'pool', id: USER, name: 'All' } },
  },
  pool_paused: {
    facts: facts({
      phones: [phone({ sims: [paused] })],
      pools: [{ _id: USER, name: 'All', sims: [paused.sim._id] }],
    }),
    problem: { severity: 'info', subject: { type: 'pool', id: USER, name: 'All' } },
  },
  loop_test_failed: {
    facts: facts({
      phones: [phone({ sims: [sim()] }), phone({ sims: [listener] })],
      loopRun: {
        id: USER,
        startedAt: ago(30),
        endedAt: ago(20),
        legs: [
          loopLeg(listener, { result: 'arrived', seconds: 4 }),
          loopLeg(listener, { result: 'lost', reason: 'not_received' }),
        ],
      },
    }),
    problem: {
      severity: 'warning',
      since: ago(30),
      subject: { type: 'sim', id: listener.sim._id, name: 'Desk' },
      text: 'The loop test failed: a text from the SIM "Desk" to the SIM "Desk" did not arrive.',
      remedy: expect.stringContaining('RCS') as string,
    },
  },
  webhook_failing: {
    facts: facts({ webhooks: [webhook({ failingSince: ago(60), failingAttempts: 3 })] }),
    problem: { severity: 'warning', since: ago(60), subject: { type: 'webhook', name: 'Orders' } },
  },
  webhook_filter_outdated: {
    facts: facts({ webhooks: [webhook({ deviceIds: [new Types.ObjectId()] })] }),
    problem: { severity: 'error', subject: { type: 'webhook', name: 'Orders' } },
  },
  webhook_paused: {
    facts: facts({
      webhooks: [
        webhook({
          isActive: false,
          failingSince: ago(60),
          failingAttempts: 20,
          notes: [
            { at: ago(90), text: 'Paused' },
            { at: ago(5), text: 'Paused' },
          ],
        }),
      ],
    }),
    problem: { severity: 'error', since: ago(5) },
  },
  email_unverified: {
    facts: facts({ account: { id: USER, email: 'ada@example.com', isVerified: false } }),
    problem: { severity: 'error', subject: { type: 'account', name: 'ada@example.com' } },
  },
  plan_nearly_used: {
    facts: facts({ subscription: plan(40, 40) }),
    problem: {
      severity: 'warning',
      until: MIDNIGHT,
      text: 'The plan is nearly used: 40 of 50 messages today.',
    },
  },
  plan_used_up: {
    facts: facts({ subscription: plan(0, 300) }),
    problem: {
      severity: 'error',
      until: MIDNIGHT,
      text: expect.stringContaining('300 of 300 messages this month') as string,
    },
  },
};

const codes = (given: Partial<ProblemFacts>) => problemsOf(facts(given)).map(({ code }) => code);
const codesOf = (given: PhoneFacts) => problemsOfPhone(given).map(({ code }) => code);

describe('the problems of an account', () => {
  it('are none if nothing is wrong', () => {
    expect(problemsOf(facts())).toEqual([]);
  });

  it('have a test for each code', () => {
    expect([...Object.keys(CASES), 'phone_disabled'].sort()).toEqual([...PROBLEM_CODES].sort());
  });

  it.each(Object.entries(CASES))('%s', (code, { facts: given, problem }) => {
    const found = problemsOf(given);
    expect(found).toMatchObject([{ code, ...problem }]);
    // Times are in fields of their own.
    expect(`${found[0]?.text} ${found[0]?.remedy}`).not.toMatch(/\d{4}-\d{2}|undefined|null/);
    expect([found[0]?.text, found[0]?.remedy]).toEqual([
      expect.stringMatching(/^[A-Z\d].*\.$/),
      expect.stringMatching(/^[A-Z\d].*\.$/),
    ]);
  });

  it('come errors first', () => {
    const phones = [
      phone({ connection: offline }, { batteryInfo: { lastUpdated: NOW, percentage: 1, isCharging: false } }),
    ];
    expect(codes({ phones, subscription: plan(45, 45) })).toEqual([
      'phone_offline',
      'plan_nearly_used',
      'battery_low',
    ]);
  });

  it('tell how many messages wait for a phone', () => {
    const silent = phone({ connection: offline });
    const waiting = (count: number) =>
      problemsOf(facts({ phones: [silent], waiting: new Map([[silent.device._id.toHexString(), count]]) }));
    expect(waiting(12)).toMatchObject([
      { text: 'Front desk cannot be reached. 12 messages wait for it.', waitingMessages: 12 },
    ]);
    expect(waiting(1)[0]?.text).toBe('Front desk cannot be reached. 1 message waits for it.');
    expect(waiting(0)[0]).not.toHaveProperty('waitingMessages');
  });

  it('are not those of phones and SIMs that their owner has disabled, nor of a plan without limits', () => {
    expect(codes({ phones: [phone({ connection: offline }, { enabled: false }), phone()] })).toEqual([]);
    const unhealthy = sim({ health: { state: 'open', failureRate: 1 } }, { enabled: false });
    expect(codes({ phones: [phone({ sims: [unhealthy] })] })).toEqual([]);
    expect(codes({ subscription: plan(9_999, 9_999, -1, -1) })).toEqual([]);
  });

  it('name ignored messages of a disabled phone too, for seven days, and only until it receives again', () => {
    const ignored = (minutes: number, device: Partial<Device>) =>
      codes({ phones: [phone({}, { lastIgnoredSmsAt: ago(minutes), ...device }), phone()] });
    const week = 7 * 24 * 60;
    expect(ignored(week, { enabled: false })).toEqual(['incoming_messages_ignored']);
    expect(ignored(week + 1, { enabled: false })).toEqual([]);
    expect(ignored(week + 1, { receiveSMSEnabled: false })).toEqual([]);
    expect(ignored(1, {})).toEqual([]);
  });

  it('are not those of a webhook that its owner has paused, or that failed once or twice', () => {
    expect(codes({ webhooks: [webhook({ failingSince: ago(1), failingAttempts: 2 })] })).toEqual([]);
    const notes = [{ at: ago(90), text: 'Paused' }];
    expect(codes({ webhooks: [webhook({ isActive: false, notes })] })).toEqual([]);
    expect(codes({ webhooks: [webhook({ isActive: false, notes, failingSince: ago(60) })] })).toEqual([]);
  });

  it('are not those of a pool with a SIM that can send', () => {
    const good = sim();
    const pools = [{ _id: USER, name: 'All', sims: [new Types.ObjectId(), good.sim._id] }];
    expect(codes({ pools, phones: [phone({ sims: [good] })] })).toEqual([]);
    expect(codes({ pools: [{ _id: USER, name: 'All', sims: [] }] })).toEqual(['pool_unusable']);
  });

  it('are information if a pool sends nothing because its owner has set it so, with when the first limit ends', () => {
    const HOUR = new Date('2026-01-31T13:00:00Z');
    const full = used(
      { messagesPerHour: 1, messagesPerDay: 1 },
      { messagesPerHour: { used: 1, resetsAt: HOUR }, messagesPerDay: { used: 1, resetsAt: MIDNIGHT } },
    );
    const hourly = used({ messagesPerHour: 1 }, { messagesPerHour: { used: 1, resetsAt: HOUR } });
    const broken = sim({ health: { state: 'open', failureRate: 0.9, since: ago(5) } });
    const good = sim();
    const ofPool = (...phones: PhoneFacts[]) => {
      const sims = phones.flatMap((each) => each.sims.map((view) => view.sim._id));
      const found = problemsOf(facts({ phones, pools: [{ _id: USER, name: 'All', sims }] }));
      return found.filter(({ subject }) => subject.type === 'pool');
    };
    for (const wanted of [
      phone({ sims: [good] }, { drainingSince: NOW }),
      phone({ sims: [good] }, { enabled: false }),
      phone({ sims: [paused], connection: offline }),
    ]) {
      expect(ofPool(wanted)).toMatchObject([{ code: 'pool_paused', severity: 'info' }]);
      expect(ofPool(wanted)[0]).not.toHaveProperty('until');
    }
    expect(ofPool(phone({ sims: [full] }))).toMatchObject([{ code: 'pool_paused', until: MIDNIGHT }]);
    expect(ofPool(phone({ sims: [full, paused, hourly] }))).toMatchObject([
      { code: 'pool_paused', until: HOUR },
    ]);
    expect(ofPool(phone({ sims: [full, good] }))).toEqual([]);
    for (const faulty of [
      phone({ sims: [full, broken] }),
      phone({ sims: [full], connection: offline }),
      phone({ sims: [full], pushError: new DeviceNotPushable() }),
    ])
      expect(ofPool(faulty)).toMatchObject([{ code: 'pool_unusable', severity: 'error' }]);
  });
});

describe('the health of a phone', () => {
  it('is not affected by limits that its owner has set', () => {
    const full = used({ messagesPerDay: 10 }, { messagesPerDay: { used: 10, resetsAt: MIDNIGHT } });
    const near = used({ messagesPerDay: 10 }, { messagesPerDay: { used: 9, resetsAt: MIDNIGHT } });
    expect(healthOf(problemsOfPhone(phone({ sims: [full, near] })))).toEqual({ state: 'ok', reasons: [] });
  });

  it('is ok, or the worst of its problems', () => {
    expect(healthOf(problemsOfPhone(phone()))).toEqual({ state: 'ok', reasons: [] });
    const trying = sim({ health: { state: 'half-open', failureRate: 0.5, since: ago(1) } });
    expect(healthOf(problemsOfPhone(phone({ sims: [trying] })))).toMatchObject({
      state: 'warning',
      reasons: [{ code: 'sim_unhealthy' }],
    });
    const broken = phone({ connection: offline, sims: [trying] });
    expect(healthOf(problemsOfPhone(broken))).toEqual({
      state: 'error',
      reasons: [
        { code: 'phone_offline', text: 'Front desk cannot be reached.' },
        { code: 'sim_unhealthy', text: expect.any(String) as string },
      ],
    });
  });

  it('of a disabled phone is only that it is disabled', () => {
    const disabled = phone({ connection: offline }, { enabled: false });
    expect(healthOf(problemsOfPhone(disabled))).toEqual({
      state: 'warning',
      reasons: [{ code: 'phone_disabled', text: 'Front desk is disabled.' }],
    });
  });

  it('says why a phone without a push token cannot be reached', () => {
    const fcm = { pushTransport: 'fcm' as const };
    const [problem] = problemsOfPhone(
      phone({ connection: offline, pushError: new DeviceNotPushable() }, fcm),
    );
    expect(problem).toMatchObject({ code: 'phone_offline', remedy: `${new DeviceNotPushable().message}.` });
    const unconfigured = phone({ connection: offline, pushError: new FirebaseNotConfigured() }, fcm);
    expect(codesOf(unconfigured)).toEqual(['push_not_set_up']);
  });

  it('is not affected by a battery that is charging or not reported', () => {
    for (const batteryInfo of [
      { percentage: 3, isCharging: true },
      { percentage: 16, isCharging: false },
      { percentage: 3 },
    ])
      expect(codesOf(phone({}, { batteryInfo: { lastUpdated: NOW, ...batteryInfo } }))).toEqual([]);
  });

  it('names the limit that ends last', () => {
    const limits = { messagesPerHour: 5, messagesPerDay: 10, messagesPerMonth: 20 };
    const at = (count: number, resetsAt: Date) => ({ used: count, resetsAt });
    const usage = {
      messagesPerHour: at(5, new Date('2026-01-31T13:00:00Z')),
      messagesPerDay: at(10, MIDNIGHT),
      messagesPerMonth: at(19, MIDNIGHT),
    };
    expect(problemsOfPhone(phone({ sims: [used(limits, usage)] }))).toMatchObject([
      {
        code: 'sim_limit_reached',
        until: MIDNIGHT,
        text: expect.stringContaining('10 of 10 messages a day') as string,
      },
    ]);
    const hour = { messagesPerHour: at(4, MIDNIGHT) };
    expect(codesOf(phone({ sims: [used(limits, hour)] }))).toEqual([]);
  });
});
