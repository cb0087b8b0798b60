import { Types } from 'mongoose';
import type { Device } from '../../../devices/store/device.schema';
import type { ChoiceReason } from '../../../devices/sims/pools/choose-sim';
import type { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { WAIT_REASONS } from '../../../devices/states/wait-reasons';
import type { Batch } from '../../../messages/batch.schema';
import type { FailureCode } from '../../../messages/failures/failure-codes';
import { failureReason } from '../../../messages/failures/failure-reason';
import { type AttemptOutcome, ATTEMPT_OUTCOMES, type Message } from '../../../messages/message.schema';
import type { MessageStatus } from '../../../messages/message-status';
import { UNCONFIRMED_REASONS } from '../../../messages/message-event';
import type { DeliveryStatus } from '../../../webhooks/deliveries/delivery.schema';
import type { DeliverySummary } from '../../../webhooks/history/delivery-history.repository';
import type { SubscriptionLabel } from '../../../webhooks/subscriptions/webhook-subscriptions.repository';
import { explain } from './explain';
import type { Facts } from './facts';
import { CHOICES } from '../../pools/pool-sentences';
import type { StepCode } from './sentences';
import type { Step } from './steps';

const NOW = new Date('2026-01-31T12:00:00Z');
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);
const RAW_TIME = /\d{4}-\d{2}-\d{2}T/;

const PHONE = new Types.ObjectId();
const OTHER_PHONE = new Types.ObjectId();
const WORK = new Types.ObjectId();
const PREPAID = new Types.ObjectId();
const POOL = new Types.ObjectId();
const WEBHOOK = new Types.ObjectId();

const device = (fields: Partial<Device> = {}) =>
  ({
    _id: PHONE,
    enabled: true,
    brand: 'google',
    model: 'Pixel 8',
    pushTransport: 'stream',
    stream: { id: PHONE, openedAt: ago(9_000) },
    heartbeatEnabled: false,
    heartbeatIntervalMinutes: 30,
    smsSendDelaySeconds: 5,
    createdAt: ago(9_000),
    ...fields,
  }) as Device;

const message = (fields: Partial<Message> = {}): Message => ({
  _id: new Types.ObjectId(),
  user: new Types.ObjectId(),
  device: PHONE,
  direction: 'sent',
  status: 'pending',
  message: 'Hello',
  recipient: '+447700900123',
  peerNumber: '+447700900123',
  requestedAt: ago(60),
  createdAt: ago(60),
  updatedAt: ago(50),
  wave: 0,
  raised: [],
  outbox: [],
  ...fields,
});

const batch = (fields: Partial<Batch> = {}) =>
  ({
    _id: new Types.ObjectId(),
    acceptance: 'accepted',
    recipientCount: 1,
    groups: [{ count: 1, firstWave: 0, waves: 1, planned: true }],
    ...fields,
  }) as Batch;

const subscription = (fields: Partial<SubscriptionLabel> = {}): SubscriptionLabel => ({
  _id: WEBHOOK,
  name: 'Orders',
  deliveryUrl: 'https://hooks.example.com/secret/path?token=abc',
  events: ['MESSAGE_SENT'],
  isActive: true,
  ...fields,
});

const delivery = (fields: Partial<DeliverySummary> = {}): DeliverySummary => ({
  _id: new Types.ObjectId(),
  webhookSubscription: WEBHOOK,
  event: 'MESSAGE_SENT',
  reportedStatus: '',
  computedStatus: 'delivered',
  deliveryAttemptCount: 1,
  createdAt: ago(10),
  ...fields,
});

function explained(fields: Partial<Message> = {}, others: Partial<Facts> = {}): Step[] {
  const steps = explain({
    now: NOW,
    message: message(fields),
    devices: new Map([
      [PHONE.toHexString(), device()],
      [OTHER_PHONE.toHexString(), device({ _id: OTHER_PHONE, name: 'Front desk' })],
    ]),
    sims: new Map([
      [WORK.toHexString(), { _id: WORK, label: 'Work' } as SimRecord],
      [PREPAID.toHexString(), { _id: PREPAID, carrierName: 'Vodafone', simSlotIndex: 1 } as SimRecord],
    ]),
    subscriptions: [],
    deliveries: [],
    moreCount: 0,
    ...others,
  });
  for (const { at, text } of steps) {
    expect(at).toBeInstanceOf(Date);
    expect(text).toMatch(/^[A-Z“"].*\.$/);
    expect(text).not.toMatch(/undefined|\[object|NaN|[{}]|\bstream|drain|subscription id/);
    expect(text).not.toMatch(RAW_TIME);
  }
  return steps;
}

const factsOf = (steps: readonly Step[], code: StepCode) => steps.find((step) => step.code === code)?.facts;
const codesOf = (steps: readonly Step[]) => steps.map(({ code }) => code);
const textOf = (steps: readonly Step[], code: StepCode) => steps.find((step) => step.code === code)?.text;

const entries = <Key extends string, Value>(table: Record<Key, Value>) =>
  Object.entries(table) as [Key, Value][];

describe('the explanation of a message', () => {
  const STATUSES = {
    pending: 'due',
    dispatched: 'acknowledgement_missing',
    sent: 'sent',
    delivered: 'delivered',
    failed: 'failed',
    unknown: 'unconfirmed',
    received: 'received',
  } as const satisfies Record<MessageStatus, StepCode>;

  it.each(entries(STATUSES))('has a step for the status %s', (status, code) => {
    const direction = status === 'received' ? 'received' : 'sent';
    expect(codesOf(explained({ status, direction }))).toContain(code);
  });

  it('has a step for a message without a status', () => {
    expect(codesOf(explained({ status: undefined }))).toContain('status_unknown');
  });

  it('tells the whole way in order', () => {
    const steps = explained(
      {
        status: 'delivered',
        simSubscriptionId: 1,
        isSimChosen: true,
        sim: PREPAID,
        dispatchedAt: ago(59),
        dispatchAttempts: 2,
        pushReceivedAt: ago(58),
        sendAttemptedAt: ago(57),
        sentAt: ago(56),
        deliveredAt: ago(50),
      },
      {
        batch: batch({ recipientCount: 25 }),
        subscriptions: [subscription()],
        deliveries: [delivery({ deliveredAt: ago(55) })],
      },
    );
    expect(codesOf(steps)).toEqual([
      'accepted',
      'sim_chosen_by_service',
      'handed_over',
      'acknowledged',
      'attempted',
      'sent',
      'webhook_delivered',
      'delivered',
    ]);
    expect(textOf(steps, 'accepted')).toBe('The send to 25 recipients was accepted.');
    expect(factsOf(steps, 'accepted')).toMatchObject({
      recipients: 25,
      batch: expect.stringMatching(/^[\da-f]{24}$/) as string,
    });
    expect(textOf(steps, 'handed_over')).toBe(
      'It was handed to Pixel 8 over its connection to the service. This was attempt 2.',
    );
    expect(factsOf(steps, 'handed_over')).toEqual({ phone: 'Pixel 8', transport: 'stream', attempts: 2 });
    expect(textOf(steps, 'sim_chosen_by_service')).toContain('The Vodafone SIM in slot 2 of Pixel 8');
    expect(steps.map(({ at }) => at)).toEqual([60, 59, 59, 58, 57, 56, 55, 50].map(ago));
  });

  it('keeps the order of what a phone does if its clock is wrong', () => {
    const wrong = { sendAttemptedAt: new Date('1970-01-01'), sentAt: new Date('2099-01-01') };
    const facts = { status: 'delivered' as const, dispatchedAt: ago(9), deliveredAt: ago(8), ...wrong };
    const steps = explained(facts, {
      subscriptions: [subscription()],
      deliveries: [delivery({ deliveredAt: ago(7) })],
    });
    expect(codesOf(steps).filter((code) => !code.startsWith('webhook') && !code.startsWith('sim'))).toEqual([
      'accepted',
      'handed_over',
      'attempted',
      'sent',
      'delivered',
    ]);
    expect(steps.find(({ code }) => code === 'sent')?.at).toEqual(wrong.sentAt);
  });

  it('says that it is being handed over while it is offered to a stream, and not when it waits for the phone', () => {
    const nextDispatchAt = new Date(ago(0).getTime() + 10_000);
    const offered = { pushClaim: PHONE, nextDispatchAt };
    expect(codesOf(explained(offered))).toContain('handing_over');
    const parked = { nextDispatchAt, waitingFor: { reason: 'phone_unreachable' as const } };
    const steps = explained(parked);
    expect(codesOf(steps)).not.toContain('handing_over');
    expect(codesOf(steps)).not.toContain('handed_over');
    expect(textOf(steps, 'waiting')).toContain('Pixel 8 cannot be reached');
    expect(textOf(explained({ ...parked, pool: POOL }), 'waiting')).toContain(
      'no phone with a SIM of its pool',
    );
  });

  it.each(WAIT_REASONS)('says why it waits: %s', (reason) => {
    const until = new Date('2026-02-01T23:00:00Z');
    const waiting = explained({
      waitingFor: { reason, until },
      dispatchDueAt: until,
      sim: WORK,
      validUntil: until,
    });
    expect(textOf(waiting, 'waiting')).toMatch(
      /^It waits: .*[^.]\. It can leave on 1 February 2026 at 23:00 UTC\.$/,
    );
    expect(factsOf(waiting, 'waiting')).toMatchObject({ reason, until: until.toISOString(), sim: 'Work' });
    expect(codesOf(waiting).at(-1)).toBe('valid_until');
    const open = explained({ waitingFor: { reason } });
    expect(textOf(open, 'waiting')).toMatch(/^It waits: .*[^.]\. It leaves /);
  });

  it('has a different sentence for each reason to wait', () => {
    const texts = WAIT_REASONS.map((reason) => textOf(explained({ waitingFor: { reason } }), 'waiting'));
    expect(new Set(texts).size).toBe(WAIT_REASONS.length);
  });

  it('says that a batch is paused before its messages were held', () => {
    expect(textOf(explained({}, { batch: batch({ pausedAt: ago(5) }) }), 'waiting')).toContain('paused');
  });

  it.each(entries(CHOICES))('says why a pool chose the SIM: %s', (reason: ChoiceReason, because) => {
    const chosen = {
      pool: POOL,
      sim: WORK,
      isSimChosen: true,
      simSubscriptionId: 1,
      choice: { reason, at: ago(60) },
    };
    expect(textOf(explained(chosen), 'sim_chosen_by_pool')).toBe(
      `Its pool chose the SIM "Work" of Pixel 8, because ${because}.`,
    );
    expect(textOf(explained(chosen, { pool: { name: 'Sales' } }), 'sim_chosen_by_pool')).toMatch(
      /^Its pool "Sales"/,
    );
  });

  it('says from where to where it was moved', () => {
    const steps = explained({ movedFrom: { device: OTHER_PHONE, at: ago(20) } });
    expect(steps.find(({ code }) => code === 'moved')).toMatchObject({
      at: ago(20),
      text: 'Front desk was to send it, and it was moved to Pixel 8.',
    });
  });

  it.each<[StepCode, Partial<Message>]>([
    ['sim_named', { simSubscriptionId: 1 }],
    ['sim_named', { simSubscriptionId: 1, sim: WORK, status: 'dispatched', dispatchedAt: ago(1) }],
    ['sim_used', { simSubscriptionId: 1, sim: WORK, status: 'sent', dispatchedAt: ago(2), sentAt: ago(1) }],
    ['sim_only_one', { sim: WORK, status: 'dispatched', dispatchedAt: ago(1) }],
    ['sim_left_to_phone', { status: 'dispatched', dispatchedAt: ago(1) }],
    ['sim_not_chosen', {}],
    ['sim_not_chosen', { pool: POOL }],
  ])('says which SIM it is: %s', (code, fields) => {
    const codes = codesOf(explained(fields)).filter((each) => each.startsWith('sim_'));
    expect(codes).toEqual([code]);
  });

  const ATTEMPT_CODES = {
    unavailable: 'attempt_unavailable',
    refused: 'attempt_refused',
    not_sent: 'attempt_not_sent',
  } as const satisfies Record<AttemptOutcome, StepCode>;

  it.each(ATTEMPT_OUTCOMES)('tells an attempt that ended as %s, and why it did not leave', (outcome) => {
    const attempts = [{ device: OTHER_PHONE, sim: WORK, endedAt: ago(30), outcome, code: '2' }];
    const choice = { reason: 'spread' as const, at: ago(29) };
    const moved = {
      attempts,
      choice,
      pool: POOL,
      sim: PREPAID,
      dispatchedAt: ago(28),
      status: 'dispatched' as const,
    };
    const steps = explained(moved);
    const text = textOf(steps, ATTEMPT_CODES[outcome]);
    expect(text).toMatch(/Front desk.* \(2\)\. It did not leave: /);
    expect(codesOf(steps).slice(0, 4)).toEqual([
      'accepted',
      ATTEMPT_CODES[outcome],
      'sim_chosen_by_pool',
      'handed_over',
    ]);
    const moving = codesOf(explained({ ...moved, device: OTHER_PHONE, moveDueAt: ago(-1) }));
    expect(moving).toContain('moving');
    expect(moving).not.toContain('handed_over');
    expect(codesOf(explained({ ...moved, status: 'pending', moveDueAt: ago(-1) }))).toContain('moving');
  });

  it('says that the push service could not be reached after it was tried for 30 minutes', () => {
    const given = { device: OTHER_PHONE, endedAt: ago(30), outcome: 'refused' as const };
    const steps = explained({ pool: POOL, attempts: [{ ...given, code: 'PUSH_UNAVAILABLE' }] });
    expect(textOf(steps, 'attempt_unavailable')).toMatch(
      /^The push service could not be reached .*Front desk/,
    );
  });

  const FAILURES = {
    '1': 'failed',
    '2': 'failed',
    '3': 'failed',
    '4': 'failed',
    '5': 'failed',
    '7': 'failed',
    '8': 'failed',
    '17': 'failed',
    PERMISSION_DENIED: 'failed',
    SENDING_EXCEPTION: 'failed',
    DEVICE_DISABLED: 'failed',
    DEVICE_DELETED: 'failed',
    PUSH_UNAVAILABLE: 'failed',
    PUSH_TOKEN_INVALID: 'failed',
    PUSH_REFUSED: 'failed',
    PUSH_TOO_LONG: 'failed',
    SIM_NOT_FOUND: 'failed',
    DELIVERY_FAILED: 'failed',
    CANCELLED: 'cancelled',
    EXPIRED: 'expired',
    PHONE_UNREACHABLE: 'failed',
    SUPPRESSED: 'suppressed',
  } as const satisfies Record<FailureCode | 'EXPIRED', StepCode>;

  it.each(entries(FAILURES))('tells a failure with %s and what to do', (errorCode, code) => {
    const steps = explained({ status: 'failed', failedAt: ago(1), errorCode });
    expect(codesOf(steps).at(-1)).toBe(code);
    if (code === 'failed') expect(textOf(steps, code)).toContain(failureReason(errorCode));
  });

  it('tells a failure with an unknown code, with none, and with a text of the phone', () => {
    expect(textOf(explained({ status: 'failed', errorCode: '99' }), 'failed')).toContain('99');
    expect(textOf(explained({ status: 'failed', errorCode: 'constructor' }), 'failed')).toContain(
      'constructor',
    );
    expect(textOf(explained({ status: 'failed' }), 'failed')).toContain('It failed.');
    const text = textOf(explained({ status: 'failed', errorCode: '4', errorMessage: 'No signal' }), 'failed');
    expect(text).toBe(`It failed with code 4. No signal. ${failureReason('4')}`);
    const confirmed = explained({ status: 'failed', errorCode: 'CANCELLED', dispatchedAt: ago(3) });
    expect(textOf(confirmed, 'cancelled')).toContain('Pixel 8 confirmed');
  });

  it.each(UNCONFIRMED_REASONS)(
    'tells why it is unconfirmed: %s, also after a late report',
    (unconfirmedReason) => {
      const fields = { unconfirmedReason, settledAt: ago(5), dispatchedAt: ago(55) };
      const text = textOf(explained({ ...fields, status: 'unknown' }), 'unconfirmed');
      expect(text).toMatch(/^Pixel 8 .*It may have been sent/);
      const late = codesOf(explained({ ...fields, status: 'sent', sentAt: ago(1) }));
      expect(late.indexOf('sent')).toBeGreaterThan(late.indexOf('unconfirmed'));
    },
  );

  it('tells an unknown state that the phone reported', () => {
    const steps = explained({ status: 'unknown', raised: ['UNKNOWN_STATE:odd'], settledAt: ago(1) });
    expect(textOf(steps, 'unknown_state')).toContain('"odd"');
    expect(codesOf(steps)).not.toContain('unconfirmed');
  });

  it.each<[StepCode, Partial<Message>, string]>([
    ['due', { nextDispatchAt: ago(-30) }, 'on 31 January 2026 at 12:30 UTC'],
    ['due', { nextDispatchAt: ago(1) }, 'to Pixel 8 now'],
    [
      'push_retry',
      { unavailableSince: ago(3), dispatchAttempts: 4, nextDispatchAt: ago(-1) },
      'for 3 minutes, in 4 attempts',
    ],
    ['handing_over', { pushStartedAt: ago(0) }, 'to Pixel 8'],
    [
      'acknowledgement_missing',
      { status: 'dispatched', dispatchedAt: ago(1), redeliverUntil: ago(-60) },
      'again',
    ],
    [
      'report_missing',
      { status: 'dispatched', dispatchedAt: ago(1), pushReceivedAt: ago(1) },
      'not reported yet',
    ],
    [
      'cancel_requested',
      { status: 'dispatched', dispatchedAt: ago(2), cancelRequestedAt: ago(1) },
      'asked not to send',
    ],
    ['delivery_not_confirmed', { status: 'sent', sentAt: ago(1) }, 'not confirmed'],
  ])('says what is the case now: %s', (code, fields, part) => {
    expect(textOf(explained(fields), code)).toContain(part);
  });

  const phones = (fields: Partial<Device>) => ({
    devices: new Map([[PHONE.toHexString(), device(fields)]]),
  });

  it.each<[StepCode, Partial<Device>, string]>([
    [
      'phone_offline',
      { stream: { id: WORK, openedAt: ago(90), closedAt: ago(25) } },
      'offline for 25 minutes',
    ],
    [
      'phone_unresponsive',
      { unansweredSince: ago(180), lastAcknowledgedAt: ago(200) },
      'not answered for 3 hours',
    ],
    ['phone_disabled', { enabled: false }, 'disabled'],
    ['phone_deleted', { deletedAt: ago(2), enabled: false }, 'deleted'],
  ])('says what keeps the phone from answering: %s', (code, state, part) => {
    const dispatched = { status: 'dispatched' as const, dispatchedAt: ago(30) };
    expect(textOf(explained(dispatched, phones(state)), code)).toContain(part);
    expect(codesOf(explained({ status: 'delivered' }, phones(state)))).not.toContain(code);
  });

  it('says that the phone is draining, while the message waits', () => {
    const draining = phones({ drainingSince: ago(5) });
    expect(textOf(explained({}, draining), 'phone_draining')).toContain('still goes out from it');
    const ofPool = explained({ pool: POOL }, { ...draining, pool: { name: 'Sales' } });
    expect(textOf(ofPool, 'phone_draining')).toContain('another SIM');
    // Once its pool is deleted, it stays.
    expect(textOf(explained({ pool: POOL }, draining), 'phone_draining')).toContain('still goes out from it');
    expect(codesOf(explained({ status: 'dispatched' }, draining))).not.toContain('phone_draining');
  });

  it('says that its SIM is unhealthy, and what that means, until it is sent', () => {
    const breaker = { kind: 'failures', openedAt: ago(9), backoffMs: 5, canaryDueAt: ago(4), successes: 0 };
    const health = { failures: { mean: 0.9, weight: 50 }, breaker } as SimRecord['health'];
    const ill = { sims: new Map([[WORK.toHexString(), { _id: WORK, label: 'Work', health } as SimRecord]]) };
    const text = (fields: Partial<Message>, pool?: Facts['pool']) =>
      textOf(explained({ sim: WORK, ...fields }, { ...ill, ...(pool && { pool }) }), 'sim_unhealthy');
    expect(text({})).toMatch(/^The SIM "Work" is unhealthy: .*all the same/);
    expect(text({ pool: POOL }, { name: 'Sales' })).toContain('one message of its pools at a time');
    expect(text({ status: 'dispatched', dispatchedAt: ago(1) })).toContain('may not arrive');
    expect(text({ status: 'sent', sentAt: ago(1) })).toBeUndefined();
    expect(text({ sim: PREPAID })).toBeUndefined();
  });

  it('tells that the phone of an earlier attempt had sent it after all, and that another one may have', () => {
    const attempt = {
      device: OTHER_PHONE,
      sim: WORK,
      endedAt: ago(30),
      outcome: 'not_sent',
      code: '4',
    } as const;
    const choice = { reason: 'only_sim' as const, at: ago(29) };
    const moved = { pool: POOL, choice, sim: PREPAID, status: 'sent', dispatchedAt: ago(29) } as const;
    const late = { attempts: [{ ...attempt, sentAt: ago(20) }], sentAt: ago(21), settledAt: ago(20) };
    const steps = explained({ ...moved, ...late });
    expect(codesOf(steps).filter((code) => /sent|handed/.test(code))).toEqual([
      'attempt_not_sent',
      'handed_over',
      'sent',
      'attempt_sent',
    ]);
    expect(textOf(steps, 'attempt_sent')).toBe(
      'Front desk reported after all that it had sent it. Pixel 8 was handed it as well, so it may have been sent twice.',
    );
    expect(textOf(steps, 'sent')).toBe('Front desk reported that it sent it.');
    // The other phone was first.
    const settled = explained({ ...moved, ...late, sentAt: ago(25), settledAt: ago(25) });
    expect(textOf(settled, 'sent')).toBe('Pixel 8 reported that it sent it.');
  });

  it('says that a message which is to move waits, while its batch is paused', () => {
    const moving = { status: 'dispatched', moveDueAt: ago(-1), waitingFor: { reason: 'paused' } } as const;
    expect(codesOf(explained(moving))).not.toContain('moving');
    expect(textOf(explained(moving), 'waiting')).toContain('paused');
  });

  it('survives a phone and a SIM that are gone', () => {
    const gone = { devices: new Map(), sims: new Map(), status: 'dispatched' as const, sim: WORK };
    expect(codesOf(explained({ status: 'dispatched', sim: WORK, dispatchedAt: ago(1) }, gone))).toContain(
      'phone_deleted',
    );
  });

  it('tells what was scheduled, paced or waited for', () => {
    const scheduledAt = ago(30);
    const groups = [{ count: 900, firstWave: 0, waves: 100, planned: true, scheduledAt }];
    const paced = explained(
      { dispatchDueAt: ago(20), status: 'sent', sentAt: ago(10) },
      { batch: batch({ groups }) },
    );
    expect(codesOf(paced).slice(0, 3)).toEqual(['accepted', 'scheduled', 'paced']);
    const waited = { dispatchDueAt: ago(20), dispatchedAt: ago(20), status: 'sent' as const };
    expect(codesOf(explained(waited, { batch: batch() }))).toContain('waited');
    const onTime = { ...waited, dispatchDueAt: scheduledAt };
    const single = batch({ groups: [{ count: 1, firstWave: 0, waves: 1, planned: true, scheduledAt }] });
    expect(codesOf(explained(onTime, { batch: single }))).not.toContain('waited');
    const future = batch({
      groups: [{ count: 1, firstWave: 0, waves: 1, planned: true, scheduledAt: ago(-60) }],
    });
    expect(codesOf(explained({ nextDispatchAt: ago(-60) }, { batch: future }))).toEqual([
      'accepted',
      'scheduled',
      'sim_not_chosen',
      'due',
    ]);
  });

  it('tells that a message was cancelled after what was to happen later', () => {
    const cancelled = {
      status: 'failed' as const,
      errorCode: 'CANCELLED',
      failedAt: ago(1),
      settledAt: ago(1),
    };
    const groups = [{ count: 900, firstWave: 0, waves: 100, planned: true, scheduledAt: ago(-60) }];
    const steps = codesOf(explained({ ...cancelled, dispatchDueAt: ago(-70) }, { batch: batch({ groups }) }));
    expect(steps.slice(0, 4)).toEqual(['accepted', 'scheduled', 'paced', 'cancelled']);
  });

  describe('what webhooks were told', () => {
    const SENTENCES = {
      pending: ['webhook_pending', 'is about to be told MESSAGE_SENT'],
      retrying: [
        'webhook_retrying',
        'MESSAGE_SENT yet. There were 3 attempts, the last one answered with 500',
      ],
      delivered: ['webhook_delivered', 'was told MESSAGE_SENT, after 3 attempts'],
      failed: ['webhook_failed', 'was not told MESSAGE_SENT'],
    } as const satisfies Record<DeliveryStatus, readonly [StepCode, string]>;

    it.each(entries(SENTENCES))('%s', (computedStatus, [code, part]) => {
      const told = delivery({
        computedStatus,
        deliveryAttemptCount: 3,
        httpStatusCode: 500,
        nextDeliveryAttemptAt: ago(-5),
      });
      const text = textOf(
        explained({ status: 'sent' }, { subscriptions: [subscription()], deliveries: [told] }),
        code,
      );
      expect(text).toContain(part);
      expect(text).toMatch(/^The webhook "Orders" at hooks\.example\.com/);
      expect(text).not.toContain('secret');
    });

    it('names a deleted webhook, and one without a name, by its host', () => {
      const deliveries = [delivery({ deliveryUrl: 'https://other.example.com/x' })];
      const text = textOf(explained({ status: 'sent' }, { deliveries }), 'webhook_delivered');
      expect(text).toMatch(/^The webhook at other\.example\.com was told/);
    });

    it('tells what is not relayed yet, and to whom', () => {
      const outbox = [{ event: 'MESSAGE_SENT' as const, at: ago(1) }];
      const sent = { status: 'sent' as const, outbox, raised: ['MESSAGE_SENT'] };
      const many = Array.from({ length: 8 }, (_, index) =>
        subscription({ _id: new Types.ObjectId(), name: `W${index}`, isActive: index !== 0 }),
      );
      const text = textOf(explained(sent, { subscriptions: many }), 'webhook_not_relayed');
      expect(text).toContain('to W1 (hooks.example.com), W2 (hooks.example.com), ');
      expect(text).toContain('and 2 other webhooks');
      expect(text).not.toContain('W0');
      expect(textOf(explained(sent), 'webhook_not_relayed')).toContain('no active webhook');
      const aside = explained({ ...sent, relaySetAsideAt: ago(1) });
      expect(textOf(aside, 'webhook_not_relayed')).toContain('every hour');
      expect(codesOf(aside)).not.toContain('webhook_none');
      expect(codesOf(explained({ ...sent, outbox: null as never }))).toContain('webhook_none');
    });

    it('tells that none was told, and how many deliveries are not listed', () => {
      const raised = ['MESSAGE_SENT', 'MESSAGE_DELIVERED'];
      const told = { subscriptions: [subscription()], deliveries: [delivery()] };
      expect(textOf(explained({ status: 'delivered', raised }, told), 'webhook_none')).toContain(
        'MESSAGE_DELIVERED:',
      );
      const steps = explained({ status: 'delivered', raised }, { ...told, moreCount: 7 });
      expect(steps.at(-1)).toMatchObject({
        code: 'webhook_more',
        text: expect.stringContaining('7 more') as string,
      });
      expect(codesOf(steps)).not.toContain('webhook_none');
    });
  });

  it('tells how a message was received', () => {
    const received = { direction: 'received' as const, status: 'received' as const, sender: '+447700900123' };
    const usual = explained({
      ...received,
      receivedAt: ago(61),
      fingerprint: 'f',
      raised: ['MESSAGE_RECEIVED'],
    });
    expect(codesOf(usual)).toEqual(['received', 'uploaded', 'deduplicated', 'webhook_none']);
    expect(textOf(usual, 'received')).toBe('Pixel 8 received it from +447700900123.');
    const odd = {
      originalCreatedAt: ago(1),
      receivedAt: ago(5_000),
      truncated: true,
      overLimit: true,
      repairedFields: ['sender', 'receivedAt'] as const,
    };
    expect(codesOf(explained({ ...received, ...odd }))).toEqual([
      'received',
      'uploaded',
      'uploaded_late',
      'truncated',
      'repaired',
      'repaired',
      'over_limit',
      'not_announced',
    ]);
  });
});
