import type { Types } from 'mongoose';
import type { PlanSubscription, Quota } from '../../billing/plan-subscription';
import { UNLIMITED } from '../../billing/plans/plan.schema';
import { DAY_MS } from '../../common/durations';
import type { PhoneFacts } from '../../devices/problems/phone-facts';
import type { Problem } from '../../devices/problems/problem';
import {
  bySeverity,
  PHONE_PROBLEM_CODES,
  type PhoneProblem,
  problemsOfPhone,
} from '../../devices/problems/phone-problems';
import { deviceNameOf } from '../../devices/names';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import { PERIOD_LIMITS } from '../../devices/sims/wait-reasons';
import type { WebhookSubscription } from '../../webhooks/subscriptions/webhook-subscription.schema';

/** The problems of an account, its phones, SIMs, pools and webhooks. */
export const PROBLEM_CODES = [
  ...PHONE_PROBLEM_CODES,
  'phone_drained',
  'no_phone',
  'pool_unusable',
  'webhook_failing',
  'webhook_paused',
  'email_unverified',
  'plan_nearly_used',
  'plan_used_up',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface AccountProblem extends Problem<ProblemCode> {
  /** Messages that wait for a phone that cannot be reached or does not answer; at most about 20,000 are counted. */
  readonly waitingMessages?: number;
}

/** What the problems of an account are derived from. */
export interface ProblemFacts {
  readonly now: Date;
  readonly account: { readonly id: Types.ObjectId; readonly email: string; readonly isVerified: boolean };
  readonly subscription: PlanSubscription;
  readonly phones: readonly PhoneFacts[];
  readonly pools: readonly Pick<Pool, '_id' | 'name' | 'sims'>[];
  readonly webhooks: readonly WebhookSubscription[];
  /** Messages that wait for phones that are offline or unresponsive, by hex id of the phone. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The draining phones that have nothing more to send or to report, by hex id. */
  readonly drained: ReadonlySet<string>;
}

/** Fewer failed attempts in a row are no problem, because they are repeated. */
const MIN_FAILING_ATTEMPTS = 3;

const NEARLY_USED_PERCENT = 80;

const numbers = new Intl.NumberFormat('en');

/** What is wrong with an account now, errors first. Phones that their owner has disabled are left out. */
export function problemsOf(facts: ProblemFacts): AccountProblem[] {
  const { account, phones } = facts;
  const ofPhones = phones.filter(({ device }) => device.enabled).flatMap(problemsOfPhone);
  const unconfigured = ofPhones.filter(({ code }) => code === 'push_not_set_up');
  return bySeverity<AccountProblem>([
    ...unconfigured.slice(0, 1).map((problem) => ofService(problem, unconfigured.length)),
    ...(account.isVerified ? [] : [emailUnverified(account)]),
    ...planProblems(facts),
    ...(phones.length === 0 ? [noPhone(account)] : []),
    ...ofPhones
      .filter((problem) => !unconfigured.includes(problem))
      .map((problem) => withWaiting(problem, facts.waiting)),
    ...drainedPhones(facts),
    ...unusablePools(facts),
    ...facts.webhooks.flatMap(webhookProblems),
  ]);
}

function ofService(problem: PhoneProblem, count: number): AccountProblem {
  const phones = count === 1 ? 'A phone is' : `${numbers.format(count)} phones are`;
  const text = `${phones} reached by Firebase Cloud Messaging, which is not set up on the server.`;
  return { ...problem, subject: { type: 'service', name: 'Push notifications' }, text };
}

function withWaiting(problem: PhoneProblem, waiting: ProblemFacts['waiting']): AccountProblem {
  const isSilent = problem.code === 'phone_offline' || problem.code === 'phone_unresponsive';
  const count = isSilent ? waiting.get(String(problem.subject.id)) : undefined;
  if (!count) return problem;
  const messages = count === 1 ? '1 message waits' : `${numbers.format(count)} messages wait`;
  return { ...problem, waitingMessages: count, text: `${problem.text} ${messages} for it.` };
}

const ofAccount = ({ id, email }: ProblemFacts['account']) => ({ type: 'account', id, name: email }) as const;

const emailUnverified = (account: ProblemFacts['account']): AccountProblem => ({
  code: 'email_unverified',
  severity: 'error',
  subject: ofAccount(account),
  text: 'The e-mail address of the account is not verified: sends are refused.',
  remedy: 'Open the link or enter the code in the e-mail that was sent to it, or have another one sent.',
});

const noPhone = (account: ProblemFacts['account']): AccountProblem => ({
  code: 'no_phone',
  severity: 'warning',
  subject: ofAccount(account),
  text: 'No phone is paired: messages can be neither sent nor received.',
  remedy: 'Create an API key for a phone, install the app, and scan the QR code of the key.',
});

function planProblems({ account, subscription, now }: ProblemFacts): AccountProblem[] {
  const { thisMonth, today, periodEnd } = subscription;
  const nextDay = new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
  const quotas = [
    { quota: thisMonth, period: 'this month', until: periodEnd },
    { quota: today, period: 'today', until: nextDay },
  ].filter(({ quota }) => quota.limit !== UNLIMITED && quota.percentage >= NEARLY_USED_PERCENT);
  const [worst] = quotas.toSorted((one, other) => other.quota.percentage - one.quota.percentage);
  return worst ? [planProblem(account, worst)] : [];
}

function planProblem(
  account: ProblemFacts['account'],
  { quota, period, until }: { quota: Quota; period: string; until: Date },
): AccountProblem {
  const isUsedUp = quota.remaining === 0;
  const count = `${numbers.format(quota.used)} of ${numbers.format(quota.limit)} messages ${period}`;
  return {
    code: isUsedUp ? 'plan_used_up' : 'plan_nearly_used',
    severity: isUsedUp ? 'error' : 'warning',
    until,
    subject: ofAccount(account),
    text: isUsedUp
      ? `The plan is used up: ${count}. Sends are refused.`
      : `The plan is nearly used: ${count}.`,
    remedy: 'Wait until it starts anew, or ask the operator of the service for a larger plan.',
  };
}

function drainedPhones({ phones, drained }: ProblemFacts): AccountProblem[] {
  return phones
    .filter(({ device }) => device.drainingSince && drained.has(device._id.toHexString()))
    .map(({ device }) => ({
      code: 'phone_drained',
      severity: 'warning',
      ...(device.drainingSince && { since: device.drainingSince }),
      subject: { type: 'device', id: device._id, name: deviceNameOf(device) ?? 'Phone' },
      text: `${deviceNameOf(device) ?? 'A phone'} is drained: it has sent and reported all of its messages.`,
      remedy: 'Switch it off and delete it, or end draining to use it again.',
    }));
}

/** The SIMs in a phone that can take a message now, by hex id. */
function usableSims({ device, connection, pushError, sims }: PhoneFacts): string[] {
  if (!device.enabled || device.drainingSince || connection.state !== 'online' || pushError) return [];
  return sims
    .filter((view) => view.sim.enabled && view.health.state !== 'open' && !isFull(view))
    .map(({ sim }) => sim._id.toHexString());
}

const isFull = ({ sim, usage }: PhoneFacts['sims'][number]): boolean =>
  Object.values(PERIOD_LIMITS).some(
    (limit) => (usage[limit]?.used ?? 0) >= (sim.limits?.[limit] ?? Infinity),
  );

function unusablePools({ pools, phones }: ProblemFacts): AccountProblem[] {
  const usable = new Set(phones.flatMap(usableSims));
  return pools
    .filter(({ sims }) => !sims.some((sim) => usable.has(sim.toHexString())))
    .map(({ _id: id, name, sims }) => ({
      code: 'pool_unusable',
      severity: 'error',
      subject: { type: 'pool', id, name },
      text:
        sims.length === 0
          ? `The pool "${name}" has no SIMs.`
          : `No SIM of the pool "${name}" can send now: each is disabled, unhealthy or at a limit, or its phone cannot be used.`,
      remedy:
        sims.length === 0
          ? 'Add SIMs to it, or delete it.'
          : 'Mend the phones and SIMs of the pool, or add other SIMs to it.',
    }));
}

function webhookProblems(webhook: WebhookSubscription): AccountProblem[] {
  const { _id: id, name, deliveryUrl, isActive, failingSince, failingAttempts, notes } = webhook;
  if (!failingSince) return [];
  const subject = { type: 'webhook', id, name: name ?? deliveryUrl } as const;
  const theWebhook = name === undefined ? `The webhook to ${deliveryUrl}` : `The webhook "${name}"`;
  if (isActive) {
    if (failingAttempts < MIN_FAILING_ATTEMPTS) return [];
    const text = `${theWebhook} fails: its last ${numbers.format(failingAttempts)} attempts were not accepted.`;
    const remedy =
      'See its failed deliveries, and mend the endpoint. Deliveries are repeated until they succeed or run out of attempts; a webhook that keeps failing is paused.';
    return [{ code: 'webhook_failing', severity: 'warning', since: failingSince, subject, text, remedy }];
  }
  // The service adds a note when it pauses a webhook; the note of an earlier pause is older than `failingSince`.
  const note = notes.findLast(({ at }) => at >= failingSince);
  if (!note) return [];
  return [
    {
      code: 'webhook_paused',
      severity: 'error',
      since: note.at,
      subject,
      text: `${theWebhook} was paused, because its endpoint kept failing: events of this time are not delivered.`,
      remedy: 'Mend the endpoint, set the webhook active again, and replay the events that it missed.',
    },
  ];
}
