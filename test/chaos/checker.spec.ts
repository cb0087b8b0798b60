import { check, type Verdict } from './checker';
import type { Evidence } from './evidence';

/** A run in which all went well: a stream phone and an FCM phone, two messages each, one upload. */
function goodRun(): Evidence {
  const airing = (recipient: string, smsId: string, device: string, batch: string) => ({
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
    airings: [
      airing('1', 'm1', 'stream', 'b1'),
      airing('2', 'm2', 'stream', 'b1'),
      airing('3', 'm3', 'fcm', 'b2'),
      airing('4', 'm4', 'fcm', 'b2'),
    ],
    uploads: [{ device: 'stream', fingerprint: 'f1' }],
    posts: events.map(({ smsId, event }) => ({
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
    usage: 5,
    faults: [],
  };
}

const good = goodRun();
const CLEAN: Verdict = { losses: [], duplicates: [], wrong: [], drift: [], inDoubt: [] };

/** How many findings of each kind there are. */
function countsOf(verdict: Verdict): Record<string, number> {
  return Object.fromEntries(
    Object.entries(verdict).flatMap(([list, lines]: [string, readonly string[]]) =>
      lines.length > 0 ? [[list, lines.length]] : [],
    ),
  );
}

const judged = (change: Partial<Evidence>) => countsOf(check({ ...good, ...change }));
const without = <Item>(items: readonly Item[], index: number) => items.filter((_, place) => place !== index);
const changed = <Item>(items: readonly Item[], index: number, change: Partial<Item>) =>
  items.map((item, place) => (place === index ? { ...item, ...change } : item));
const again = <Item>(items: readonly Item[], index: number, change: Partial<Item> = {}) => [
  ...items,
  ...items.slice(index, index + 1).map((item) => ({ ...item, ...change })),
];

describe('the checker of the chaos test', () => {
  it('finds nothing in a run in which all went well', () => {
    expect(check(good)).toEqual(CLEAN);
  });

  describe('sends', () => {
    it('finds one that was never answered', () => {
      expect(judged({ sends: changed(good.sends, 0, { batches: [] }) })).toMatchObject({ losses: 1 });
    });

    it('finds a key that has led to two batches', () => {
      expect(judged({ sends: changed(good.sends, 0, { batches: ['b1', 'b9'] }) })).toEqual({ duplicates: 1 });
      expect(judged({ batches: again(good.batches, 0, { id: 'b9' }) })).toEqual({ duplicates: 1 });
    });

    it('finds a batch that is lost, half-accepted or nobody’s', () => {
      expect(judged({ batches: without(good.batches, 0) })).toEqual({ losses: 1 });
      expect(judged({ batches: changed(good.batches, 0, { acceptance: 'accepting' }) })).toEqual({
        wrong: 1,
      });
      expect(judged({ batches: again(good.batches, 0, { id: 'b9', key: undefined }) })).toEqual({ wrong: 1 });
    });
  });

  describe('messages', () => {
    it('finds an airing that is missing on a stream phone', () => {
      expect(judged({ airings: without(good.airings, 0) })).toMatchObject({ losses: 1 });
    });

    it('finds an airing that was doubled, on either transport, also under another id', () => {
      for (const index of [0, 2]) {
        expect(judged({ airings: again(good.airings, index) })).toEqual({ duplicates: 1 });
        expect(judged({ airings: again(good.airings, index, { smsId: 'm9' }) }).duplicates).toBe(1);
      }
    });

    it('counts an FCM message that is dispatched and was never on the air as in doubt, and no other', () => {
      const airings = without(good.airings, 2);
      const messages = changed(good.messages, 2, { status: 'dispatched' });
      expect(judged({ airings, messages })).toMatchObject({ inDoubt: 1 });
      expect(judged({ airings, messages }).losses).toBeUndefined();
      for (const status of ['pending', 'failed', 'delivered']) {
        expect(judged({ airings, messages: changed(good.messages, 2, { status }) }).losses).toBe(1);
      }
    });

    it('finds what was on the air and never accepted', () => {
      expect(
        judged({ airings: again(good.airings, 0, { recipient: '9', smsId: 'm9' }) }).wrong,
      ).toBeGreaterThan(0);
    });

    it('finds what went out from another phone, with another text or of another batch', () => {
      expect(judged({ airings: changed(good.airings, 0, { device: 'fcm' }) })).toEqual({ wrong: 1 });
      expect(judged({ airings: changed(good.airings, 0, { text: 'Bye' }) })).toEqual({ wrong: 1 });
      expect(judged({ airings: changed(good.airings, 0, { batch: 'b2' }) })).toEqual({ wrong: 1 });
    });

    it('finds a state that is not what the phone has told', () => {
      for (const status of ['pending', 'dispatched', 'sent', 'failed', 'unknown'])
        expect(judged({ messages: changed(good.messages, 0, { status }) }).wrong).toBe(1);
    });

    it('finds messages that are missing, doubled or of no send', () => {
      expect(judged({ messages: without(good.messages, 0) }).losses).toBe(1);
      expect(judged({ messages: again(good.messages, 0, { id: 'm9' }) }).duplicates).toBe(1);
      expect(judged({ messages: again(good.messages, 0, { id: 'm9', recipient: '9' }) }).wrong).toBe(1);
    });
  });

  describe('uploads', () => {
    it('finds one that is lost, stored twice or was never made', () => {
      expect(judged({ messages: without(good.messages, 4) }).losses).toBe(1);
      expect(judged({ messages: again(good.messages, 4, { id: 'r9' }) }).duplicates).toBe(1);
      expect(judged({ uploads: [] })).toEqual({ wrong: 1 });
    });
  });

  describe('events', () => {
    it('finds one that never reached its receiver', () => {
      expect(judged({ posts: without(good.posts, 3) })).toEqual({ losses: 1 });
    });

    it('takes a repetition under the same key, and finds one under another', () => {
      expect(judged({ posts: again(good.posts, 3) })).toEqual({});
      expect(judged({ posts: again(good.posts, 3, { idempotencyKey: 'other' }) })).toEqual({ duplicates: 1 });
    });

    it('finds a delivery that is missing, doubled or not done', () => {
      expect(judged({ deliveries: without(good.deliveries, 3) }).losses).toBe(1);
      expect(judged({ deliveries: again(good.deliveries, 3, { id: 'other' }) }).duplicates).toBe(1);
      expect(judged({ deliveries: changed(good.deliveries, 3, { status: 'retrying' }) }).losses).toBe(1);
    });

    it('finds an event that never happened, is not signed or was not asked for', () => {
      expect(judged({ posts: again(good.posts, 0, { event: 'MESSAGE_FAILED' }) })).toEqual({ wrong: 1 });
      expect(judged({ posts: changed(good.posts, 0, { isSigned: false }) })).toEqual({ wrong: 1 });
      expect(judged({ posts: again(good.posts, 0, { subscription: 's9' }) })).toEqual({ wrong: 1 });
      const subscriptions = changed(good.subscriptions, 0, {
        events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED'],
      });
      expect(judged({ subscriptions })).toEqual({ wrong: 1 });
    });
  });

  describe('counters', () => {
    it.each<[string, Partial<Evidence>]>([
      ['sentSMSCount', { devices: changed(good.devices, 0, { sentSMSCount: 3 }) }],
      ['receivedSMSCount', { devices: changed(good.devices, 0, { receivedSMSCount: 0 }) }],
      ['totalSentSMSCount', { totals: { sent: 3, received: 1 } }],
      ['totalReceivedSMSCount', { totals: { sent: 4, received: 2 } }],
      ['successfulDeliveryCount', { subscriptions: changed(good.subscriptions, 0, { successes: 8 }) }],
      ['deliveryFailureCount', { subscriptions: changed(good.subscriptions, 0, { failures: 1 }) }],
      ['deliveryAttemptCount', { subscriptions: changed(good.subscriptions, 0, { attempts: 8 }) }],
      ['usage', { usage: 6 }],
    ])('finds that %s has drifted', (_, change) => {
      expect(judged(change)).toEqual({ drift: 1 });
    });
  });

  it('passes on what went wrong meanwhile', () => {
    expect(check({ ...good, faults: ['worker 1 ended by itself'] })).toEqual({
      ...CLEAN,
      wrong: ['worker 1 ended by itself'],
    });
  });
});
