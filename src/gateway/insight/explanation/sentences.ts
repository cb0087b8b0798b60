// Also part of the dashboard.
import { capitalize } from '../../../common/capitalize';
import { MINUTE_MS } from '../../../common/durations';
import type english from './english';
import type { StepFacts } from './step-facts';

type WithoutPlural<Key> = Key extends `${infer Name}_one` | `${infer Name}_other` ? Name : Key;

/** A sentence or phrase of `english.ts`; of those in singular and plural, the name of both. */
export type SentenceKey = WithoutPlural<keyof typeof english>;

/** The sentence of a reason, status or field; each of them has one. */
const named = (name: string, fact = ''): SentenceKey => `${name}_${fact}` as SentenceKey;

/** The sentences of a step, in order, by its facts. */
const SENTENCES = {
  // What happened to a sent message.
  accepted: ({ recipients = 1, priority }) => [
    recipients > 1 ? 'acceptedToMany' : 'accepted',
    ...when(priority === 'urgent', 'urgent'),
  ],
  scheduled: () => ['scheduled'],
  paced: () => ['paced'],
  waited: () => ['waited'],
  moved: () => ['moved'],
  sim_chosen_by_pool: ({ reason }) => [named('chosen', reason)],
  sim_chosen_by_service: () => ['chosenByService'],
  sim_named: (facts) => [isSimKnown(facts) ? 'simWasNamed' : 'unknownSimWasNamed'],
  sim_only_one: () => ['onlySim'],
  sim_used: (facts) => [isSimKnown(facts) ? 'simWasUsed' : 'unknownSimWasUsed'],
  sim_left_to_phone: () => ['simLeftToPhone'],
  attempt_unavailable: () => ['attemptUnavailable'],
  attempt_refused: () => ['attemptRefused'],
  attempt_not_sent: () => ['attemptNotSent'],
  attempt_sent: () => ['attemptSent'],
  handed_over: ({ transport, attempts = 1 }) => [
    transport === undefined ? 'handedOver' : named('handedOver', transport),
    ...when(attempts > 1, 'atAttempt'),
  ],
  acknowledged: () => ['acknowledged'],
  attempted: () => ['attempted'],
  sent: () => ['sent'],
  delivered: () => ['delivered'],
  failed: ({ code }) => [code === undefined ? 'failed' : 'failedWithCode'],
  expired: () => ['expired'],
  cancelled: ({ confirmed }) => [confirmed ? 'cancelledByPhone' : 'cancelled'],
  suppressed: ({ source }) => [source === undefined ? 'suppressed' : named('suppressed', source)],
  reported_later: ({ status, parts = 1 }) => {
    if (parts > 1) return [named('laterPart', status), 'askFirstForPart'];
    return [named('later', status), status === 'delivered' ? 'doNotSendAgain' : 'askFirst'];
  },
  unconfirmed: ({ reason }) => [
    reason === undefined ? 'unconfirmed' : named('unconfirmed', reason),
    'mayHaveBeenSent',
  ],
  unknown_state: () => ['unknownState'],
  // What happened to a received message.
  received: ({ sender }) => [sender === undefined ? 'received' : 'receivedFrom'],
  uploaded: () => ['uploaded'],
  uploaded_late: () => ['uploadedLate'],
  truncated: () => ['truncated'],
  repaired: ({ field }) => [named('repaired', field)],
  deduplicated: () => ['deduplicated'],
  over_limit: () => ['overLimit'],
  not_announced: () => ['notAnnounced'],
  // What webhooks were told.
  webhook_pending: () => ['webhookPending'],
  webhook_retrying: (facts) => [
    'webhookRetrying',
    answerOf(facts),
    facts.dueAt === undefined ? 'nextAttemptNow' : 'nextAttemptAt',
  ],
  webhook_delivered: () => ['webhookDelivered'],
  webhook_failed: (facts) => ['webhookFailed', answerOf(facts), 'notTriedAgain'],
  webhook_not_relayed: ({ setAside, webhooks, more }) => {
    if (setAside) return ['relaySetAside'];
    if (webhooks === undefined) return ['notRelayedToNone'];
    return [more === undefined ? 'notRelayed' : 'notRelayedToMore'];
  },
  webhook_none: () => ['webhookNone'],
  webhook_more: () => ['webhookMore'],
  // What is the case now.
  waiting: ({ reason, until, ofPool }) => [
    named(ofPool && reason === 'phone_unreachable' ? 'waitOfPool' : 'wait', reason),
    until === undefined ? named('leaves', reason) : 'leavesAt',
  ],
  sim_not_chosen: ({ ofPool }) => [ofPool ? 'simNotChosenByPool' : 'simNotChosen'],
  due: ({ dueAt }) => [dueAt === undefined ? 'dueNow' : 'dueAt'],
  push_retry: ({ dueAt }) => [
    'pushRetry',
    dueAt === undefined ? 'nextAttemptNow' : 'nextAttemptAt',
    'failsAfterHalfAnHour',
  ],
  handing_over: () => ['handingOver'],
  moving: () => ['moving'],
  cancel_requested: () => ['cancelRequested'],
  acknowledgement_missing: ({ until }) => ['notAcknowledged', ...when(until !== undefined, 'handedAgain')],
  report_missing: () => ['notReported'],
  delivery_not_confirmed: () => ['deliveryNotConfirmed'],
  phone_offline: () => ['phoneOffline'],
  phone_unresponsive: () => ['phoneUnresponsive'],
  phone_draining: ({ ofPool }) => [ofPool ? 'phoneDrainingOfPool' : 'phoneDraining'],
  phone_disabled: ({ status, ofPool }) => [
    status === 'pending' && !ofPool ? 'phoneDisabledFails' : 'phoneDisabled',
  ],
  phone_deleted: ({ phone }) => [phone === undefined ? 'itsPhoneDeleted' : 'phoneDeleted'],
  sim_unhealthy: ({ status, ofPool }) => [
    'simUnhealthy',
    status !== 'pending' ? 'simUnhealthyHandedOver' : ofPool ? 'simUnhealthyOfPool' : 'simUnhealthyBound',
  ],
  valid_until: () => ['validUntil'],
  status_unknown: () => ['statusUnknown'],
} satisfies Record<string, (facts: StepFacts) => readonly SentenceKey[]>;

/** What a step of an explanation is about. Stable: programs may compare it; texts may change. */
export type StepCode = keyof typeof SENTENCES;
export const STEP_CODES = Object.keys(SENTENCES) as readonly StepCode[];

/** The sentences of a step; none for a code of a later version. */
export const sentencesOf = (code: StepCode, facts: StepFacts): readonly SentenceKey[] =>
  Object.hasOwn(SENTENCES, code) ? SENTENCES[code](facts) : [];

export type SentenceValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** How a step is put into words. */
export interface Wording {
  /** A sentence with its values; `count` decides between singular and plural. */
  readonly say: (key: SentenceKey, values: SentenceValues & { readonly count: number }) => string;
  /** A time, of ISO 8601. */
  readonly time: (at: string) => string;
  readonly number: (value: number) => string;
}

/** A step in words. @param at when it happened, in milliseconds since 1970. */
export function wordsOf(
  code: StepCode,
  at: number,
  facts: StepFacts,
  { say, time, number }: Wording,
): string {
  const count = facts.more ?? facts.attempts ?? 1;
  const phrase = (key: SentenceKey) => say(key, { ...facts, count });
  const { phone, otherPhone, since, until, dueAt, saidAt, recipients, messages } = facts;
  const values = {
    ...facts,
    count,
    thePhone: phone ?? phrase('thePhone'),
    otherPhone: otherPhone ?? capitalize(phrase('thePhone')),
    theSim: phrase(simPhrase(facts)),
    thePool: phrase(facts.pool === undefined ? 'itsPool' : 'poolNamed'),
    theWebhook: phrase(webhookPhrase(facts)),
    inBrackets: facts.code === undefined ? '' : ` (${facts.code})`,
    duration: since && durationIn(at - Date.parse(since), say),
    until: until && time(until),
    dueAt: dueAt && time(dueAt),
    saidAt: saidAt && time(saidAt),
    recipients: recipients && number(recipients),
    messages: messages && number(messages),
  };
  return sentencesOf(code, facts)
    .map((key) => capitalize(say(key, values)))
    .join(' ');
}

/** How long something takes or took: "25 minutes". */
function durationIn(ms: number, say: Wording['say']): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return say('lessThanAMinute', { count: 1 });
  if (hours < 2) return say('minutes', { count: minutes });
  return hours < 48 ? say('hours', { count: hours }) : say('days', { count: Math.floor(hours / 24) });
}

function simPhrase({ sim, simNetwork, simSlot }: StepFacts): SentenceKey {
  if (sim !== undefined) return 'simNamed';
  if (simNetwork !== undefined) return simSlot === undefined ? 'simOfNetwork' : 'simOfNetworkInSlot';
  return simSlot === undefined ? 'itsSim' : 'simInSlot';
}

function webhookPhrase({ webhook, host }: StepFacts): SentenceKey {
  if (webhook !== undefined) return host === undefined ? 'webhookNamed' : 'webhookNamedAt';
  return host === undefined ? 'theWebhook' : 'webhookAt';
}

const isSimKnown = (facts: StepFacts): boolean =>
  facts.simSubscriptionId === undefined || simPhrase(facts) !== 'itsSim';

const answerOf = ({ httpStatus }: StepFacts): SentenceKey =>
  httpStatus === undefined ? 'unanswered' : 'answered';

const when = (condition: boolean, sentence: SentenceKey): SentenceKey[] => (condition ? [sentence] : []);
