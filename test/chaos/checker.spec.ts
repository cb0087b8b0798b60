import { checkEvidence } from './checker';
import type { Verdict } from './verdict';
import type { Evidence, MessageEvidence, SentSms } from './evidence';

const POOL = ['stream', 'spare', 'fcm'];

/**
 * A run without findings: a stream phone and an FCM phone, two messages each, one upload; and three messages of a pool: one
 * that moved, one that was refused by one phone, and one by all.
 */
function cleanRun(): Evidence {
  const sentSms = (recipient: string, smsId: string, device: string, batch: string): SentSms => ({
    device,
    smsId,
    batch,
    recipient,
    text: 'Hello',
    fate: 'delivered',
    isOnAir: true,
  });
  const notSent = { fate: 'failed', error: '4', isOnAir: false } as const;
  const message = (id: string, device: string, batch: string, recipient: string): MessageEvidence => ({
    id,
    device,
    direction: 'sent',
    status: 'delivered',
    batch,
    recipient,
    fingerprint: undefined,
    timesStored: 1,
    errorCode: undefined,
    attempts: [],
  });
  const attempt = (device: string, outcome: string) => ({ device, outcome });
  const eventsOf = (smsId: string) =>
    ['MESSAGE_SENT', 'MESSAGE_DELIVERED'].map((event) => ({ smsId, event }));
  const events = [
    ...['m1', 'm2', 'm3', 'm4'].flatMap(eventsOf),
    { smsId: 'r1', event: 'MESSAGE_RECEIVED' },
    ...['m5', 'm6'].flatMap(eventsOf),
    { smsId: 'm7', event: 'MESSAGE_FAILED' },
  ];
  return {
    sends: [
      { key: 'k1', device: 'stream', text: 'Hello', recipients: ['1', '2'], batches: ['b1'] },
      { key: 'k2', device: 'fcm', text: 'Hello', recipients: ['3', '4'], batches: ['b2'] },
      { key: 'k3', pool: POOL, text: 'Hello', recipients: ['5', '6', '7'], batches: ['b3'] },
    ],
    sentSms: [
      sentSms('1', 'm1', 'stream', 'b1'),
      sentSms('2', 'm2', 'stream', 'b1'),
      sentSms('3', 'm3', 'fcm', 'b2'),
      sentSms('4', 'm4', 'fcm', 'b2'),
      { ...sentSms('5', 'm5', 'stream', 'b3'), ...notSent },
      sentSms('5', 'm5', 'spare', 'b3'),
      sentSms('6', 'm6', 'spare', 'b3'),
      { ...sentSms('7', 'm7', 'stream', 'b3'), ...notSent },
      { ...sentSms('7', 'm7', 'spare', 'b3'), ...notSent },
    ],
    pushesInDoubt: [{ smsId: 'm4', device: 'fcm' }],
    uploads: [{ device: 'stream', fingerprint: 'f1' }],
    webhookRequests: events.map(({ smsId, event }) => ({
      subscription: 's1',
      smsId,
      event,
      idempotencyKey: `${smsId}-${event}`,
      isSigned: true,
    })),
    devices: [
      { id: 'stream', transport: 'stream', sentSMSCount: 2, receivedSMSCount: 1 },
      { id: 'fcm', transport: 'fcm', sentSMSCount: 2, receivedSMSCount: 0 },
      { id: 'spare', transport: 'stream', sentSMSCount: 2, receivedSMSCount: 0 },
    ],
    batches: [
      { id: 'b1', key: 'k1', acceptance: 'accepted' },
      { id: 'b2', key: 'k2', acceptance: 'accepted' },
      { id: 'b3', key: 'k3', acceptance: 'accepted' },
    ],
    messages: [
      message('m1', 'stream', 'b1', '1'),
      message('m2', 'stream', 'b1', '2'),
      message('m3', 'fcm', 'b2', '3'),
      message('m4', 'fcm', 'b2', '4'),
      {
        id: 'r1',
        device: 'stream',
        direction: 'received',
        status: 'received',
        batch: undefined,
        recipient: undefined,
        fingerprint: 'f1',
        timesStored: 1,
        errorCode: undefined,
        attempts: [],
      },
      { ...message('m5', 'spare', 'b3', '5'), attempts: [attempt('stream', 'not_sent')] },
      { ...message('m6', 'spare', 'b3', '6'), attempts: [attempt('fcm', 'refused')] },
      {
        ...message('m7', 'spare', 'b3', '7'),
        status: 'failed',
        errorCode: '4',
        attempts: [attempt('fcm', 'refused'), attempt('stream', 'not_sent'), attempt('spare', 'not_sent')],
      },
    ],
    explanations: [
      { smsId: 'm5', steps: ['accepted', 'attempt_not_sent', 'handed_over', 'delivered'] },
      { smsId: 'm6', steps: ['accepted', 'attempt_refused', 'handed_over', 'delivered'] },
      { smsId: 'm7', steps: ['attempt_refused', 'attempt_not_sent', 'attempt_not_sent', 'failed'] },
    ],
    deliveries: events.map(({ smsId, event }) => ({
      id: `${smsId}-${event}`,
      subscription: 's1',
      smsId,
      event,
      status: 'delivered',
      attempts: 1,
    })),
    subscriptions: [
      {
        id: 's1',
        events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'],
        successes: 14,
        failures: 0,
        attempts: 14,
      },
    ],
    totals: { sent: 6, received: 1 },
    series: { received: 1, sent: 6, delivered: 6, failed: 1 },
    usage: 8,
    errors: [],
  };
}

const evidence = cleanRun();
const CLEAN: Verdict = {
  losses: [],
  duplicates: [],
  unproven: [],
  otherErrors: [],
  drift: [],
  inDoubt: [],
  lateContradictions: [],
};

/** The number of findings of each kind. */
function countFindings(verdict: Verdict): Record<string, number> {
  return Object.fromEntries(
    Object.entries(verdict).flatMap(([list, lines]: [string, readonly string[]]) =>
      lines.length > 0 ? [[list, lines.length]] : [],
    ),
  );
}

/** Wrong counters only if nothing else is wrong: whatever changes a ledger also changes the counters. */
function checked(change: Partial<Evidence>): Record<string, number> {
  const { drift = 0, ...others } = countFindings(checkEvidence({ ...evidence, ...change }));
  return Object.keys(others).length > 0 ? others : { ...(drift > 0 && { drift }) };
}

const without = <Item>(items: readonly Item[], index: number) => items.filter((_, place) => place !== index);
const changed = <Item>(items: readonly Item[], index: number, change: Partial<Item>) =>
  items.map((item, place) => (place === index ? { ...item, ...change } : item));
const again = <Item>(items: readonly Item[], index: number, change: Partial<Item> = {}) => [
  ...items,
  ...items.slice(index, index + 1).map((item) => ({ ...item, ...change })),
];

describe('the chaos test checker', () => {
  it('finds nothing in a run without errors', () => {
    expect(checkEvidence(evidence)).toEqual(CLEAN);
  });

  describe('sends', () => {
    it('finds a send without a response', () => {
      expect(checked({ sends: changed(evidence.sends, 0, { batches: [] }) })).toMatchObject({ losses: 1 });
    });

    it('finds two batches with one key', () => {
      expect(checked({ sends: changed(evidence.sends, 0, { batches: ['b1', 'b9'] }) })).toEqual({
        duplicates: 1,
      });
      expect(checked({ batches: again(evidence.batches, 0, { id: 'b9' }) })).toEqual({ duplicates: 1 });
    });

    it('finds a batch that is missing, not accepted or without a send', () => {
      expect(checked({ batches: without(evidence.batches, 0) })).toEqual({ losses: 1 });
      expect(checked({ batches: changed(evidence.batches, 0, { acceptance: 'accepting' }) })).toEqual({
        otherErrors: 1,
      });
      expect(checked({ batches: again(evidence.batches, 0, { id: 'b9', key: undefined }) })).toEqual({
        otherErrors: 1,
      });
    });
  });

  describe('messages', () => {
    it('finds a message that a stream phone did not send', () => {
      expect(checked({ sentSms: without(evidence.sentSms, 0) })).toMatchObject({ losses: 1 });
    });

    it('finds a message sent twice, on either transport, also under another id', () => {
      for (const index of [0, 2]) {
        expect(checked({ sentSms: again(evidence.sentSms, index) })).toEqual({ duplicates: 1 });
        expect(checked({ sentSms: again(evidence.sentSms, index, { smsId: 'm9' }) }).duplicates).toBe(1);
      }
    });

    it('counts only dispatched FCM messages that were never sent as in doubt', () => {
      const sentSms = without(evidence.sentSms, 2);
      const messages = changed(evidence.messages, 2, { status: 'dispatched' });
      expect(checked({ sentSms, messages })).toMatchObject({ inDoubt: 1 });
      expect(checked({ sentSms, messages }).losses).toBeUndefined();
      for (const status of ['pending', 'failed', 'delivered']) {
        expect(checked({ sentSms, messages: changed(evidence.messages, 2, { status }) }).losses).toBe(1);
      }
    });

    it('finds a message that was sent but never accepted', () => {
      expect(
        checked({ sentSms: again(evidence.sentSms, 0, { recipient: '9', smsId: 'm9' }) }).otherErrors,
      ).toBeGreaterThan(0);
    });

    it('finds a message with the wrong phone, text or batch', () => {
      expect(checked({ sentSms: changed(evidence.sentSms, 0, { device: 'fcm' }) })).toEqual({
        otherErrors: 1,
      });
      expect(checked({ sentSms: changed(evidence.sentSms, 0, { text: 'Bye' }) })).toEqual({ otherErrors: 1 });
      expect(checked({ sentSms: changed(evidence.sentSms, 0, { batch: 'b2' }) })).toEqual({ otherErrors: 1 });
    });

    it('finds a status that differs from the report of the phone', () => {
      for (const status of ['pending', 'dispatched', 'sent', 'failed', 'unknown'])
        expect(checked({ messages: changed(evidence.messages, 0, { status }) }).otherErrors).toBe(1);
    });

    it('finds messages that are missing, duplicated or without a send', () => {
      expect(checked({ messages: without(evidence.messages, 0) }).losses).toBe(1);
      expect(checked({ messages: again(evidence.messages, 0, { id: 'm9' }) }).duplicates).toBe(1);
      expect(
        checked({ messages: again(evidence.messages, 0, { id: 'm9', recipient: '9' }) }).otherErrors,
      ).toBe(1);
    });
  });

  describe('messages of pools', () => {
    const M5 = 5;
    const [M5_ON_STREAM, M5_ON_SPARE, M6_ON_SPARE] = [4, 5, 6];
    const stored = (change: Partial<MessageEvidence>, index = M5) =>
      changed(evidence.messages, index, change);
    const sent = (index: number, change: Partial<SentSms>) => changed(evidence.sentSms, index, change);

    it('finds one that is on the air by two phones, or twice by one', () => {
      const lied = { fate: 'sent', isOnAir: true } as const;
      expect(checked({ sentSms: sent(M5_ON_STREAM, lied) })).toMatchObject({ duplicates: 1, unproven: 2 });
      const device = 'fcm';
      expect(checked({ sentSms: again(evidence.sentSms, M5_ON_SPARE, { device }) })).toMatchObject({
        duplicates: 1,
        unproven: 1,
      });
      expect(checked({ sentSms: again(evidence.sentSms, M6_ON_SPARE) })).toMatchObject({ duplicates: 1 });
    });

    it('allows two phones only if the first one told too late that it had sent it after all', () => {
      const contradicted = (contradictedAfterMs: number) =>
        checked({ sentSms: sent(M5_ON_STREAM, { fate: 'sent', isOnAir: true, contradictedAfterMs }) });
      expect(contradicted(10_001)).toEqual({ lateContradictions: 1 });
      expect(contradicted(10_000)).toMatchObject({ duplicates: 1, unproven: 1 });
    });

    it('accepts one that its first phone sent after all, and did not move', () => {
      const sentSms = without(
        sent(M5_ON_STREAM, { fate: 'delivered', isOnAir: true, contradictedAfterMs: 2_000 }),
        M5_ON_SPARE,
      );
      const devices = changed(changed(evidence.devices, 0, { sentSMSCount: 3 }), 2, { sentSMSCount: 1 });
      expect(checked({ sentSms, devices, messages: stored({ device: 'stream' }) })).toEqual({});
    });

    it('accepts one that failed before its last phone told that it had sent it after all', () => {
      const contradicted = (contradictedAfterMs: number) =>
        checked({
          sentSms: without(sent(8, { fate: 'sent', isOnAir: true, contradictedAfterMs }), 7),
          messages: stored(
            {
              attempts: [
                { device: 'fcm', outcome: 'refused' },
                { device: 'stream', outcome: 'refused' },
                { device: 'spare', outcome: 'not_sent' },
              ],
            },
            7,
          ),
          explanations: changed(evidence.explanations, 2, {
            steps: ['attempt_refused', 'attempt_refused', 'attempt_not_sent', 'failed'],
          }),
        });
      expect(contradicted(10_001)).toEqual({});
      expect(contradicted(10_000)).toMatchObject({ losses: 2, otherErrors: 2 });
    });

    it('finds one that no phone sent, unless it is in doubt at an FCM phone', () => {
      const sentSms = without(evidence.sentSms, M5_ON_SPARE);
      for (const status of ['pending', 'dispatched', 'sent', 'delivered'])
        expect(checked({ sentSms, messages: stored({ status }) }).losses).toBeGreaterThan(0);
      const inDoubt = { status: 'dispatched', device: 'fcm' };
      expect(checked({ sentSms, messages: stored(inDoubt) })).toMatchObject({ inDoubt: 1 });
      expect(checked({ messages: without(evidence.messages, M5) }).losses).toBe(1);
    });

    it('finds one that failed without a reason, or before all phones were tried', () => {
      expect(checked({ messages: stored({ errorCode: undefined }, 7) })).toEqual({ losses: 1 });
      const attempts = (outcome: string) => [
        { device: 'fcm', outcome },
        ...(evidence.messages[7]?.attempts.slice(1) ?? []),
      ];
      const explanations = again(evidence.explanations, 2, { steps: ['attempt_unavailable'] });
      expect(
        checked({ messages: stored({ attempts: attempts('unavailable') }, 7), explanations }),
      ).toMatchObject({ losses: 1 });
    });

    it('finds one that moved from a phone that may have sent it', () => {
      for (const error of ['1', undefined])
        expect(checked({ sentSms: sent(M5_ON_STREAM, { error }) })).toEqual({ unproven: 2 });
    });

    it('finds one that moved after a push in doubt', () => {
      const inDoubt = (device: string) => again(evidence.pushesInDoubt, 0, { smsId: 'm5', device });
      expect(checked({ pushesInDoubt: inDoubt('fcm') })).toEqual({ unproven: 1 });
      for (const device of ['stream', 'spare'])
        expect(checked({ pushesInDoubt: inDoubt(device) })).toEqual({});
    });

    it('finds an attempt that is not recorded, or that its phone knows otherwise', () => {
      expect(checked({ messages: stored({ attempts: [] }) })).toEqual({ unproven: 1 });
      expect(checked({ sentSms: without(evidence.sentSms, M5_ON_STREAM) })).toEqual({ unproven: 1 });
      const sentSms = again(evidence.sentSms, M5_ON_STREAM, { smsId: 'm6', recipient: '6', device: 'fcm' });
      expect(checked({ sentSms })).toEqual({ unproven: 1 });
    });

    it('finds an explanation that is missing or lacks the step of an attempt', () => {
      expect(checked({ explanations: without(evidence.explanations, 1) })).toEqual({ unproven: 1 });
      const steps = ['attempt_refused', 'attempt_not_sent', 'failed'];
      expect(checked({ explanations: changed(evidence.explanations, 2, { steps }) })).toEqual({
        unproven: 1,
      });
    });

    it('finds a status or a phone that differs from the report', () => {
      expect(checked({ messages: stored({ status: 'failed', errorCode: '1' }) }).otherErrors).toBe(1);
      expect(checked({ messages: stored({ device: 'fcm' }) }).otherErrors).toBe(1);
      expect(checked({ sentSms: sent(M5_ON_SPARE, { device: 'other' }) }).otherErrors).toBeGreaterThan(0);
    });
  });

  describe('uploads', () => {
    it('finds an upload that is missing, stored twice or was never made', () => {
      expect(checked({ messages: without(evidence.messages, 4) }).losses).toBe(1);
      expect(checked({ messages: again(evidence.messages, 4, { id: 'r9' }) }).duplicates).toBe(1);
      expect(checked({ uploads: [] })).toEqual({ otherErrors: 1 });
    });
  });

  describe('events', () => {
    it('finds an event that never reached its endpoint', () => {
      expect(checked({ webhookRequests: without(evidence.webhookRequests, 3) })).toEqual({ losses: 1 });
    });

    it('accepts a repetition with the same key and finds one with another key', () => {
      expect(checked({ webhookRequests: again(evidence.webhookRequests, 3) })).toEqual({});
      expect(
        checked({ webhookRequests: again(evidence.webhookRequests, 3, { idempotencyKey: 'other' }) }),
      ).toEqual({ duplicates: 1 });
    });

    it('finds a delivery that is missing, duplicated or unfinished', () => {
      expect(checked({ deliveries: without(evidence.deliveries, 3) }).losses).toBe(1);
      expect(checked({ deliveries: again(evidence.deliveries, 3, { id: 'other' }) }).duplicates).toBe(1);
      expect(checked({ deliveries: changed(evidence.deliveries, 3, { status: 'retrying' }) }).losses).toBe(1);
    });

    it('finds an event that never happened, has no signature or no subscription', () => {
      expect(
        checked({ webhookRequests: again(evidence.webhookRequests, 0, { event: 'MESSAGE_FAILED' }) }),
      ).toEqual({ otherErrors: 1 });
      expect(checked({ webhookRequests: changed(evidence.webhookRequests, 0, { isSigned: false }) })).toEqual(
        { otherErrors: 1 },
      );
      expect(
        checked({ webhookRequests: again(evidence.webhookRequests, 0, { subscription: 's9' }) }),
      ).toEqual({ otherErrors: 1 });
      const subscriptions = changed(evidence.subscriptions, 0, {
        events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED'],
      });
      expect(checked({ subscriptions })).toEqual({ otherErrors: 1 });
    });
  });

  describe('counters', () => {
    it.each<[string, Partial<Evidence>]>([
      ['sentSMSCount', { devices: changed(evidence.devices, 0, { sentSMSCount: 3 }) }],
      ['receivedSMSCount', { devices: changed(evidence.devices, 0, { receivedSMSCount: 0 }) }],
      ['totalSentSMSCount', { totals: { sent: 5, received: 1 } }],
      ['totalReceivedSMSCount', { totals: { sent: 6, received: 2 } }],
      ['successfulDeliveryCount', { subscriptions: changed(evidence.subscriptions, 0, { successes: 8 }) }],
      ['deliveryFailureCount', { subscriptions: changed(evidence.subscriptions, 0, { failures: 1 }) }],
      ['deliveryAttemptCount', { subscriptions: changed(evidence.subscriptions, 0, { attempts: 8 }) }],
      ['usage', { usage: 9 }],
      ['series', { series: { received: 1, sent: 6, delivered: 5, failed: 1 } }],
    ])('finds a wrong %s', (_, change) => {
      expect(checked(change)).toEqual({ drift: 1 });
    });

    it('counts an upload again that was repeated after retention had removed its message', () => {
      const again = { messages: changed(evidence.messages, 4, { timesStored: 2 }) };
      const counters = {
        devices: changed(evidence.devices, 0, { receivedSMSCount: 2 }),
        totals: { sent: 6, received: 2 },
        series: { ...evidence.series, received: 2 },
        usage: 9,
      };
      expect(checked({ ...again, ...counters })).toEqual({});
      expect(checked(again)).toEqual({ drift: 3 });
      expect(checked({ ...again, ...counters, usage: 10 })).toEqual({ drift: 1 });
    });
  });

  it('reports errors of the run', () => {
    expect(checkEvidence({ ...evidence, errors: ['worker 1 ended by itself'] })).toEqual({
      ...CLEAN,
      otherErrors: ['worker 1 ended by itself'],
    });
  });
});
