import { checkEvidence, type Verdict } from './checker';
import type { Evidence } from './evidence';

/** A run without findings: a stream phone and an FCM phone, two messages each, one upload. */
function cleanRun(): Evidence {
  const sentSms = (recipient: string, smsId: string, device: string, batch: string) => ({
    device,
    smsId,
    batch,
    recipient,
    text: 'Hello',
    fate: 'delivered' as const,
  });
  const message = (id: string, device: string, batch: string, recipient: string) => ({
    id,
    device,
    direction: 'sent',
    status: 'delivered',
    batch,
    recipient,
    fingerprint: undefined,
  });
  const sent = ['m1', 'm2', 'm3', 'm4'];
  const events = [
    ...sent.flatMap((smsId) => ['MESSAGE_SENT', 'MESSAGE_DELIVERED'].map((event) => ({ smsId, event }))),
    { smsId: 'r1', event: 'MESSAGE_RECEIVED' },
  ];
  return {
    sends: [
      { key: 'k1', device: 'stream', text: 'Hello', recipients: ['1', '2'], batches: ['b1'] },
      { key: 'k2', device: 'fcm', text: 'Hello', recipients: ['3', '4'], batches: ['b2'] },
    ],
    sentSms: [
      sentSms('1', 'm1', 'stream', 'b1'),
      sentSms('2', 'm2', 'stream', 'b1'),
      sentSms('3', 'm3', 'fcm', 'b2'),
      sentSms('4', 'm4', 'fcm', 'b2'),
    ],
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
    ],
    batches: [
      { id: 'b1', key: 'k1', acceptance: 'accepted' },
      { id: 'b2', key: 'k2', acceptance: 'accepted' },
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
      },
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
        successes: 9,
        failures: 0,
        attempts: 9,
      },
    ],
    totals: { sent: 4, received: 1 },
    series: { received: 1, sent: 4, delivered: 4, failed: 0 },
    usage: 5,
    errors: [],
  };
}

const evidence = cleanRun();
const CLEAN: Verdict = { losses: [], duplicates: [], otherErrors: [], drift: [], inDoubt: [] };

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
      ['totalSentSMSCount', { totals: { sent: 3, received: 1 } }],
      ['totalReceivedSMSCount', { totals: { sent: 4, received: 2 } }],
      ['successfulDeliveryCount', { subscriptions: changed(evidence.subscriptions, 0, { successes: 8 }) }],
      ['deliveryFailureCount', { subscriptions: changed(evidence.subscriptions, 0, { failures: 1 }) }],
      ['deliveryAttemptCount', { subscriptions: changed(evidence.subscriptions, 0, { attempts: 8 }) }],
      ['usage', { usage: 6 }],
      ['series', { series: { received: 1, sent: 4, delivered: 3, failed: 0 } }],
    ])('finds a wrong %s', (_, change) => {
      expect(checked(change)).toEqual({ drift: 1 });
    });
  });

  it('reports errors of the run', () => {
    expect(checkEvidence({ ...evidence, errors: ['worker 1 ended by itself'] })).toEqual({
      ...CLEAN,
      otherErrors: ['worker 1 ended by itself'],
    });
  });
});
