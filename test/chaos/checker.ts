import type { Airing, DeliveryEvidence, Evidence, MessageEvidence, PostEvidence } from './evidence';

/** What is wrong, one line each. */
export interface Verdict {
  /** What was promised and did not happen. */
  readonly losses: readonly string[];
  /** What happened more than once. */
  readonly duplicates: readonly string[];
  /** What else should not be. */
  readonly wrong: readonly string[];
  /** Counters that differ from what they count. */
  readonly drift: readonly string[];
  /** FCM messages of which nobody knows whether FCM had them: never pushed again, by design. */
  readonly inDoubt: readonly string[];
}

type Lists = { [List in keyof Verdict]: string[] };

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Judges a run that has settled. */
export function check(evidence: Evidence): Verdict {
  const lists: Lists = { losses: [], duplicates: [], wrong: [...evidence.faults], drift: [], inDoubt: [] };
  checkSends(evidence, lists);
  checkMessages(evidence, lists);
  checkUploads(evidence, lists);
  checkEvents(evidence, lists);
  lists.drift.push(...driftOf(evidence));
  return lists;
}

/** Every key has led to one accepted batch, the one its client was told of, and there is no other. */
function checkSends({ sends, batches }: Evidence, { losses, duplicates, wrong }: Lists): void {
  const byKey = groupBy(batches, ({ key }) => key ?? '');
  for (const { key, batches: answered } of sends) {
    const stored = byKey.get(key) ?? [];
    const [batch] = stored;
    if (answered.length === 0) losses.push(`send ${key} was never answered with a 2xx`);
    if (answered.length > 1) duplicates.push(`send ${key} was answered with batches ${answered.join(', ')}`);
    if (stored.length > 1) duplicates.push(`send ${key} is stored as ${stored.length} batches`);
    if (!batch) losses.push(`send ${key} has no batch`);
    else if (answered[0] !== undefined && answered[0] !== batch.id)
      wrong.push(`send ${key} was answered with batch ${answered[0]} and is stored as ${batch.id}`);
  }
  const keys = new Set(sends.map(({ key }) => key));
  for (const { id, key, acceptance } of batches) {
    if (acceptance !== 'accepted') wrong.push(`batch ${id} is still ${acceptance}`);
    if (key === undefined || !keys.has(key)) wrong.push(`batch ${id} belongs to no send`);
  }
}

/** Every message of a send is on the air exactly once, and its state is what its phone has told. */
function checkMessages(evidence: Evidence, lists: Lists): void {
  const { losses, duplicates, wrong } = lists;
  const transports = new Map(evidence.devices.map(({ id, transport }) => [id, transport]));
  const airings = groupBy(evidence.airings, ({ recipient }) => recipient);
  const outgoing = evidence.messages.filter(({ direction }) => direction === 'sent');
  const stored = groupBy(outgoing, ({ recipient }) => recipient ?? '');
  for (const send of evidence.sends) {
    for (const recipient of send.recipients) {
      const what = `${recipient} of send ${send.key}`;
      const messages = stored.get(recipient) ?? [];
      const aired = airings.get(recipient) ?? [];
      const [message] = messages;
      if (!message) losses.push(`${what} is not stored`);
      if (messages.length > 1) duplicates.push(`${what} is stored ${messages.length} times`);
      if (message && message.batch !== send.batches[0])
        wrong.push(`${what} is stored under batch ${String(message.batch)}`);
      if (aired.length > 1) {
        duplicates.push(
          `${what} was on the air ${aired.length} times, as ${aired.map(({ smsId }) => smsId).join(', ')}`,
        );
      }
      const isFcm = transports.get(send.device) === 'fcm';
      if (aired.length === 0) judgeUnaired(what, message, isFcm, lists);
      for (const airing of aired) {
        if (airing.device !== send.device || airing.text !== send.text || airing.batch !== send.batches[0])
          wrong.push(`${what} was on the air as something else: ${JSON.stringify(airing)}`);
      }
      judgeState(what, message, aired, lists);
    }
  }
  const recipients = new Set(evidence.sends.flatMap((send) => send.recipients));
  for (const { recipient, smsId } of evidence.airings) {
    if (!recipients.has(recipient)) wrong.push(`${smsId} to ${recipient} was on the air and never accepted`);
  }
  for (const { id, recipient } of outgoing) {
    if (!recipients.has(recipient ?? '')) wrong.push(`message ${id} belongs to no send`);
  }
}

function judgeUnaired(
  what: string,
  message: MessageEvidence | undefined,
  isFcm: boolean,
  { losses, inDoubt }: Lists,
): void {
  const status = message?.status ?? 'not stored';
  if (isFcm && (status === 'dispatched' || status === 'unknown')) {
    inDoubt.push(`${what} (${message?.id ?? ''}) is ${status} and was never on the air`);
  } else {
    losses.push(`${what} (${message?.id ?? ''}) was never on the air; it is ${status}`);
  }
}

function judgeState(
  what: string,
  message: MessageEvidence | undefined,
  aired: readonly Airing[],
  { wrong }: Lists,
): void {
  const [airing] = aired;
  if (!message || !airing) return;
  if (aired.length === 1 && airing.smsId !== message.id)
    wrong.push(`${what} was on the air as ${airing.smsId} and is stored as ${message.id}`);
  if (message.status !== airing.fate)
    wrong.push(`${what} (${message.id}) is ${String(message.status)}, but its phone has told ${airing.fate}`);
}

/** Every upload is stored once. */
function checkUploads({ uploads, messages }: Evidence, { losses, duplicates, wrong }: Lists): void {
  const nameOf = (device: string, fingerprint: string | undefined) => `${device} ${fingerprint ?? ''}`;
  const received = messages.filter(({ direction }) => direction === 'received');
  const stored = groupBy(received, ({ device, fingerprint }) => nameOf(device, fingerprint));
  for (const { device, fingerprint } of uploads) {
    const count = stored.get(nameOf(device, fingerprint))?.length ?? 0;
    if (count === 0) losses.push(`upload ${fingerprint} of device ${device} is not stored`);
    if (count > 1) duplicates.push(`upload ${fingerprint} of device ${device} is stored ${count} times`);
  }
  const known = new Set(uploads.map(({ device, fingerprint }) => nameOf(device, fingerprint)));
  for (const { id, device, fingerprint } of received) {
    if (!known.has(nameOf(device, fingerprint))) wrong.push(`received message ${id} was never uploaded`);
  }
}

const EVENTS_OF_FATE = {
  delivered: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
  sent: ['MESSAGE_SENT'],
  failed: ['MESSAGE_FAILED'],
} as const;

/** The events that must have been raised, by what phones did. */
export function expectedEvents({ airings, messages }: Pick<Evidence, 'airings' | 'messages'>): {
  readonly smsId: string;
  readonly event: string;
}[] {
  return [
    ...airings.flatMap(({ smsId, fate }) => EVENTS_OF_FATE[fate].map((event) => ({ smsId, event }))),
    ...messages
      .filter(({ direction }) => direction === 'received')
      .map(({ id }) => ({ smsId: id, event: 'MESSAGE_RECEIVED' })),
  ];
}

/** Every event has reached every subscription that wants it, under one idempotency key, and nothing else has. */
function checkEvents(evidence: Evidence, { losses, duplicates, wrong }: Lists): void {
  const nameOf = ({ smsId, event }: Pick<PostEvidence, 'smsId' | 'event'>) => `${event} of ${smsId}`;
  const expected = new Set(expectedEvents(evidence).map(nameOf));
  for (const { id, events } of evidence.subscriptions) {
    const mine = ({ subscription }: Pick<PostEvidence, 'subscription'>) => subscription === id;
    const posts = groupBy(evidence.posts.filter(mine), nameOf);
    const deliveries = groupBy<DeliveryEvidence>(evidence.deliveries.filter(mine), nameOf);
    for (const name of expected) {
      const [event = ''] = name.split(' ');
      if (!events.includes(event)) continue;
      const keys = new Set(posts.get(name)?.map(({ idempotencyKey }) => idempotencyKey));
      const records = deliveries.get(name) ?? [];
      const [record] = records;
      if (keys.size === 0) losses.push(`${name} never reached subscription ${id}`);
      if (keys.size > 1) duplicates.push(`${name} reached subscription ${id} under ${keys.size} keys`);
      if (records.length > 1)
        duplicates.push(`${name} has ${records.length} deliveries to subscription ${id}`);
      if (!record) losses.push(`${name} has no delivery to subscription ${id}`);
      else if (record.status !== 'delivered')
        losses.push(`${name} to subscription ${id} is ${record.status}`);
      else if (keys.size === 1 && !keys.has(record.id))
        wrong.push(`${name} went out under another key than its delivery's`);
    }
    for (const name of new Set([...posts.keys(), ...deliveries.keys()])) {
      const [event = ''] = name.split(' ');
      if (!expected.has(name)) wrong.push(`${name} went to subscription ${id} and never happened`);
      else if (!events.includes(event))
        wrong.push(`${name} went to subscription ${id}, which does not want it`);
    }
  }
  const subscriptions = new Set(evidence.subscriptions.map(({ id }) => id));
  for (const post of evidence.posts) {
    if (!post.isSigned) wrong.push(`${nameOf(post)} was not signed as it should be`);
    if (!subscriptions.has(post.subscription)) wrong.push(`${nameOf(post)} names no subscription of ours`);
  }
}

/** The counters that do not say what their source does. */
export function driftOf(
  counted: Pick<Evidence, 'devices' | 'messages' | 'deliveries' | 'subscriptions' | 'totals' | 'usage'>,
): string[] {
  const { devices, messages, deliveries, subscriptions, totals, usage } = counted;
  const drift: string[] = [];
  const compare = (what: string, counter: number, source: number): void => {
    if (counter === source) return;
    const difference = counter - source;
    drift.push(
      `${what} is ${counter}, its source says ${source} (${difference > 0 ? '+' : ''}${difference})`,
    );
  };
  const isSent = ({ status }: MessageEvidence) => status === 'sent' || status === 'delivered';
  const isReceived = ({ direction }: MessageEvidence) => direction === 'received';
  for (const { id, sentSMSCount, receivedSMSCount } of devices) {
    const own = messages.filter(({ device }) => device === id);
    compare(`sentSMSCount of device ${id}`, sentSMSCount, own.filter(isSent).length);
    compare(`receivedSMSCount of device ${id}`, receivedSMSCount, own.filter(isReceived).length);
  }
  compare('totalSentSMSCount', totals.sent, messages.filter(isSent).length);
  compare('totalReceivedSMSCount', totals.received, messages.filter(isReceived).length);
  for (const { id, successes, failures, attempts } of subscriptions) {
    const own = deliveries.filter(({ subscription }) => subscription === id);
    const withStatus = (wanted: string) => own.filter(({ status }) => status === wanted).length;
    compare(`successfulDeliveryCount of ${id}`, successes, withStatus('delivered'));
    compare(`deliveryFailureCount of ${id}`, failures, withStatus('failed'));
    compare(
      `deliveryAttemptCount of ${id}`,
      attempts,
      own.reduce((sum, delivery) => sum + delivery.attempts, 0),
    );
  }
  compare('usage of the month', usage, messages.length);
  return drift;
}
