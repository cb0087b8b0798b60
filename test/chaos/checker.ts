import { groupBy } from '../../src/common/group-by';
import { checkPooled, outcomesOf } from './pool-checker';
import type { Verdict } from './verdict';
import type { SentSms, Evidence, MessageEvidence, WebhookRequestEvidence } from './evidence';

type Findings = { [List in keyof Verdict]: string[] };

/** Checks the evidence of a settled run. */
export function checkEvidence(evidence: Evidence): Verdict {
  const findings: Findings = {
    losses: [],
    duplicates: [],
    unproven: [],
    otherErrors: [...evidence.errors],
    drift: [],
    inDoubt: [],
    lateContradictions: [],
  };
  checkSends(evidence, findings);
  checkMessages(evidence, findings);
  checkUploads(evidence, findings);
  checkEvents(evidence, findings);
  findings.drift.push(...findDrift(evidence));
  return findings;
}

/** Every idempotency key has exactly one accepted batch, the one in the response to the client. */
function checkSends({ sends, batches }: Evidence, { losses, duplicates, otherErrors }: Findings): void {
  const byKey = groupBy(batches, ({ key }) => key ?? '');
  for (const { key, batches: answered } of sends) {
    const stored = byKey.get(key) ?? [];
    const [batch] = stored;
    if (answered.length === 0) losses.push(`send ${key} was never answered with a 2xx`);
    if (answered.length > 1) duplicates.push(`send ${key} was answered with batches ${answered.join(', ')}`);
    if (stored.length > 1) duplicates.push(`send ${key} is stored as ${stored.length} batches`);
    if (!batch) losses.push(`send ${key} has no batch`);
    else if (answered[0] !== undefined && answered[0] !== batch.id)
      otherErrors.push(`send ${key} was answered with batch ${answered[0]} and is stored as ${batch.id}`);
  }
  const keys = new Set(sends.map(({ key }) => key));
  for (const { id, key, acceptance } of batches) {
    if (acceptance !== 'accepted') otherErrors.push(`batch ${id} is still ${acceptance}`);
    if (key === undefined || !keys.has(key)) otherErrors.push(`batch ${id} belongs to no send`);
  }
}

/** Every message was sent by its phone, or one of its pool, exactly once and has the status that the phone reported. */
function checkMessages(evidence: Evidence, findings: Findings): void {
  const { losses, duplicates, otherErrors } = findings;
  const transports = new Map(evidence.devices.map(({ id, transport }) => [id, transport]));
  const sentByRecipient = groupBy(evidence.sentSms, ({ recipient }) => recipient);
  const outgoing = evidence.messages.filter(({ direction }) => direction === 'sent');
  const stored = groupBy(outgoing, ({ recipient }) => recipient ?? '');
  const inDoubt = groupBy(evidence.pushesInDoubt, ({ smsId }) => smsId);
  const explanations = new Map(evidence.explanations.map(({ smsId, steps }) => [smsId, steps]));
  for (const send of evidence.sends) {
    for (const recipient of send.recipients) {
      const what = `${recipient} of send ${send.key}`;
      const messages = stored.get(recipient) ?? [];
      const sent = sentByRecipient.get(recipient) ?? [];
      const [message] = messages;
      if (!message) losses.push(`${what} is not stored`);
      if (messages.length > 1) duplicates.push(`${what} is stored ${messages.length} times`);
      if (message && message.batch !== send.batches[0])
        otherErrors.push(`${what} is stored under batch ${String(message.batch)}`);
      if (send.pool) {
        const isFcm = transports.get(message?.device ?? '') === 'fcm';
        const steps = explanations.get(message?.id ?? '') ?? [];
        const inDoubtFor = inDoubt.get(message?.id ?? '')?.map(({ device }) => device) ?? [];
        if (message) checkPooled({ what, send, message, sent, isFcm, inDoubtFor, steps }, findings);
        continue;
      }
      if (sent.length > 1) {
        duplicates.push(
          `${what} was sent ${sent.length} times, as ${sent.map(({ smsId }) => smsId).join(', ')}`,
        );
      }
      const isFcm = transports.get(send.device ?? '') === 'fcm';
      if (sent.length === 0) checkUnsent(what, message, isFcm, findings);
      for (const sms of sent) {
        if (sms.device !== send.device || sms.text !== send.text || sms.batch !== send.batches[0])
          otherErrors.push(`${what} was sent with other content: ${JSON.stringify(sms)}`);
      }
      checkState(what, message, sent, findings);
    }
  }
  const recipients = new Set(evidence.sends.flatMap((send) => send.recipients));
  for (const { recipient, smsId } of evidence.sentSms) {
    if (!recipients.has(recipient)) otherErrors.push(`${smsId} to ${recipient} was sent but never accepted`);
  }
  for (const { id, recipient } of outgoing) {
    if (!recipients.has(recipient ?? '')) otherErrors.push(`message ${id} belongs to no send`);
  }
}

function checkUnsent(
  what: string,
  message: MessageEvidence | undefined,
  isFcm: boolean,
  { losses, inDoubt }: Findings,
): void {
  const status = message?.status ?? 'not stored';
  if (isFcm && (status === 'dispatched' || status === 'unknown')) {
    inDoubt.push(`${what} (${message?.id ?? ''}) is ${status} and was never sent by the phone`);
  } else {
    losses.push(`${what} (${message?.id ?? ''}) was never sent by the phone; it is ${status}`);
  }
}

function checkState(
  what: string,
  message: MessageEvidence | undefined,
  sent: readonly SentSms[],
  { otherErrors }: Findings,
): void {
  const [sms] = sent;
  if (!message || !sms) return;
  if (sent.length === 1 && sms.smsId !== message.id)
    otherErrors.push(`${what} was sent as ${sms.smsId} and is stored as ${message.id}`);
  if (message.status !== sms.fate)
    otherErrors.push(
      `${what} (${message.id}) is ${String(message.status)}, but its phone reported ${sms.fate}`,
    );
}

/** Every upload is stored exactly once. */
function checkUploads({ uploads, messages }: Evidence, { losses, duplicates, otherErrors }: Findings): void {
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
    if (!known.has(nameOf(device, fingerprint)))
      otherErrors.push(`received message ${id} was never uploaded`);
  }
}

const EVENTS_OF_FATE = {
  delivered: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
  sent: ['MESSAGE_SENT'],
  failed: ['MESSAGE_FAILED'],
} as const;

/** The events that must have been raised. */
export function expectedEvents(evidence: Pick<Evidence, 'sends' | 'sentSms' | 'messages'>): {
  readonly smsId: string;
  readonly event: string;
}[] {
  return [
    ...outcomesOf(evidence).flatMap(({ smsId, fate }) =>
      EVENTS_OF_FATE[fate].map((event) => ({ smsId, event })),
    ),
    ...evidence.messages
      .filter(({ direction }) => direction === 'received')
      .map(({ id }) => ({ smsId: id, event: 'MESSAGE_RECEIVED' })),
  ];
}

/** Every event reached every subscription to it under one idempotency key, and no other events did. */
function checkEvents(evidence: Evidence, { losses, duplicates, otherErrors }: Findings): void {
  const nameOf = ({ smsId, event }: Pick<WebhookRequestEvidence, 'smsId' | 'event'>) =>
    `${event} of ${smsId}`;
  const expected = new Set(expectedEvents(evidence).map(nameOf));
  for (const { id, events } of evidence.subscriptions) {
    const isOwn = ({ subscription }: Pick<WebhookRequestEvidence, 'subscription'>) => subscription === id;
    const posts = groupBy(evidence.webhookRequests.filter(isOwn), nameOf);
    const deliveries = groupBy(evidence.deliveries.filter(isOwn), nameOf);
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
        otherErrors.push(`${name} was posted with a key that is not the id of its delivery`);
    }
    for (const name of new Set([...posts.keys(), ...deliveries.keys()])) {
      const [event = ''] = name.split(' ');
      if (!expected.has(name)) otherErrors.push(`${name} went to subscription ${id} but never happened`);
      else if (!events.includes(event))
        otherErrors.push(`${name} went to subscription ${id}, which is not subscribed to it`);
    }
  }
  const subscriptions = new Set(evidence.subscriptions.map(({ id }) => id));
  for (const post of evidence.webhookRequests) {
    if (!post.isSigned) otherErrors.push(`${nameOf(post)} has an invalid signature`);
    if (!subscriptions.has(post.subscription))
      otherErrors.push(`${nameOf(post)} names an unknown subscription`);
  }
}

/**
 * The counters that differ from the ledgers of phones and senders. Plan usage may lack received messages: they are charged
 * after they are stored.
 */
function findDrift(evidence: Evidence): string[] {
  const { devices, deliveries, subscriptions, totals, series, usage } = evidence;
  const drift: string[] = [];
  const compare = (what: string, counter: number, ledger: number): void => {
    if (counter === ledger) return;
    const difference = counter - ledger;
    drift.push(
      `${what} is ${counter}, the ledgers say ${ledger} (${difference > 0 ? '+' : ''}${difference})`,
    );
  };
  const outcomes = outcomesOf(evidence);
  const distinct = (keys: readonly string[]) => new Set(keys).size;
  const countSms =
    (...fates: SentSms['fate'][]) =>
    (device?: string) =>
      distinct(
        outcomes
          .filter(({ fate, device: of }) => fates.includes(fate) && (device === undefined || of === device))
          .map(({ smsId }) => smsId),
      );
  const countSent = countSms('sent', 'delivered');
  const countUploads = (device?: string) =>
    distinct(
      evidence.uploads
        .filter((upload) => device === undefined || upload.device === device)
        .map((upload) => `${upload.device} ${upload.fingerprint}`),
    );
  const countReceived = (device?: string) => countUploads(device) + countStoredAgain(evidence, device);
  for (const { id, sentSMSCount, receivedSMSCount } of devices) {
    compare(`sentSMSCount of device ${id}`, sentSMSCount, countSent(id));
    compare(`receivedSMSCount of device ${id}`, receivedSMSCount, countReceived(id));
  }
  compare('totalSentSMSCount', totals.sent, countSent());
  compare('totalReceivedSMSCount', totals.received, countReceived());
  compare('received of the series', series.received, countReceived());
  compare('sent of the series', series.sent, countSent());
  compare('delivered of the series', series.delivered, countSms('delivered')());
  compare('failed of the series', series.failed, countSms('failed')());
  for (const { id, successes, failures, attempts } of subscriptions) {
    const requests = evidence.webhookRequests.filter(({ subscription }) => subscription === id);
    compare(
      `successfulDeliveryCount of ${id}`,
      successes,
      distinct(requests.map(({ idempotencyKey }) => idempotencyKey)),
    );
    compare(`deliveryFailureCount of ${id}`, failures, 0);
    const own = deliveries.filter(({ subscription }) => subscription === id);
    compare(
      `deliveryAttemptCount of ${id}`,
      attempts,
      own.reduce((sum, delivery) => sum + delivery.attempts, 0),
    );
  }
  const charged = evidence.sends.reduce((sum, { recipients }) => sum + recipients.length, 0);
  compare('usage of the month', usage, Math.min(Math.max(usage, charged), charged + countReceived()));
  return drift;
}

/** How many uploads were stored again because they were repeated after retention had removed their messages. */
export function countStoredAgain({ messages }: Pick<Evidence, 'messages'>, device?: string): number {
  return messages
    .filter(
      (message) => message.direction === 'received' && (device === undefined || message.device === device),
    )
    .reduce((sum, { timesStored }) => sum + timesStored - 1, 0);
}
