import type { Types } from 'mongoose';
import { isNearlyUsed, type PlanSubscription, type Quota } from '../../../billing/plan-subscription';
import { DAY_MS } from '../../../common/durations';
import type { PhoneFacts } from '../../../devices/problems/phone-facts';
import type { Problem } from '../../../devices/problems/problem';
import {
  bySeverity,
  PHONE_PROBLEM_CODES,
  type PhoneProblem,
  problemsOfPhone,
} from '../../../devices/problems/phone-problems';
import { deviceNameOf } from '../../../devices/store/device-name';
import { simNameOf, simTitleOf } from '../../../devices/sims/sim-name';
import type { Pool } from '../../../devices/sims/pools/pool.schema';
import type { LoopReason } from '../../loop-tests/loop-test-rules';
import type { LoopLeg, LoopRun } from '../../loop-tests/loop-test.schema';
import { PERIOD_LIMITS } from '../../../devices/states/wait-reasons';
import type { WebhookSubscription } from '../../../webhooks/webhook-subscription.schema';

/** The problems of an account, its phones, SIMs, pools and webhooks. */
export const PROBLEM_CODES = [
  ...PHONE_PROBLEM_CODES,
  'phone_drained',
  'no_phone',
  'no_enabled_phone',
  'pool_unusable',
  'pool_paused',
  'loop_test_failed',
  'webhook_failing',
  'webhook_paused',
  'webhook_filter_outdated',
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
  /** The last loop test that has ended. */
  readonly loopRun?: LoopRun | undefined;
  /** Messages that wait for phones that are offline or unresponsive, by hex id of the phone. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The draining phones that have nothing more to send or to report, by hex id. */
  readonly drained: ReadonlySet<string>;
}

/** Fewer failed attempts in a row are no problem, because they are repeated. */
const MIN_FAILING_ATTEMPTS = 3;

const numbers = new Intl.NumberFormat('en');

/** What is wrong with an account now, errors first. A phone that its owner has disabled is no problem. */
export function problemsOf(facts: ProblemFacts): AccountProblem[] {
  const { account, phones } = facts;
  const ofPhones = phones.flatMap(problemsOfPhone).filter(({ code }) => code !== 'phone_disabled');
  const unconfigured = ofPhones.filter(({ code }) => code === 'push_not_set_up');
  return bySeverity<AccountProblem>([
    ...unconfigured.slice(0, 1).map((problem) => ofService(problem, unconfigured.length)),
    ...(account.isVerified ? [] : [emailUnverified(account)]),
    ...planProblems(facts),
    ...(phones.length === 0 ? [noPhone(account)] : []),
    ...noEnabledPhone(facts),
    ...ofPhones
      .filter((problem) => !unconfigured.includes(problem))
      .map((problem) => withWaiting(problem, facts.waiting)),
    ...drainedPhones(facts),
    ...unusablePools(facts),
    ...loopProblems(facts),
    ...facts.webhooks.flatMap(webhookProblems),
    ...facts.webhooks.flatMap((webhook) => filterProblems(webhook, facts)),
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
  remedy: 'Choose "Pair a phone" under Phones, and follow one of its ways.',
});

function noEnabledPhone({ account, phones }: ProblemFacts): AccountProblem[] {
  const takesMessages = ({ device }: PhoneFacts) => device.enabled && !device.drainingSince;
  if (phones.length === 0 || phones.some(takesMessages)) return [];
  return [
    {
      code: 'no_enabled_phone',
      severity: 'error',
      subject: ofAccount(account),
      text: 'No phone takes messages: each is disabled or draining. Sends are refused.',
      remedy: 'Enable a phone, or let one take new messages again.',
    },
  ];
}

function planProblems({ account, subscription, now }: ProblemFacts): AccountProblem[] {
  const { thisMonth, today, periodEnd } = subscription;
  const nextDay = new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
  const quotas = [
    { quota: thisMonth, period: 'this month', until: periodEnd },
    { quota: today, period: 'today', until: nextDay },
  ].filter(({ quota }) => isNearlyUsed(quota));
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
    remedy: 'Wait until it resets, or ask the operator of the service for a larger plan.',
  };
}

function drainedPhones({ phones, drained }: ProblemFacts): AccountProblem[] {
  return phones
    .filter(({ device }) => device.drainingSince && drained.has(device._id.toHexString()))
    .map(({ device }) => ({
      code: 'phone_drained',
      severity: 'info',
      ...(device.drainingSince && { since: device.drainingSince }),
      subject: { type: 'device', id: device._id, name: deviceNameOf(device) ?? 'Phone' },
      text: `${deviceNameOf(device) ?? 'A phone'} takes no new messages and has none left.`,
      remedy: 'Switch it off and delete it, or let it take new messages again.',
    }));
}

/** Whether a SIM can send for its pool now, or waits because of what its owner has set. `until`: when a reached limit ends. */
interface SimState {
  readonly isUsable: boolean;
  readonly isAsSet: boolean;
  readonly until?: Date | undefined;
}

/** The SIMs in a phone by hex id. */
function simStates({ device, connection, pushError, sims }: PhoneFacts): [string, SimState][] {
  const isPhoneOff = !device.enabled || device.drainingSince !== undefined;
  const isPhoneFaulty = connection.state !== 'online' || pushError !== undefined;
  return sims.map((view) => {
    const isOff = isPhoneOff || !view.sim.enabled;
    const isFaulty = !isOff && (isPhoneFaulty || view.health.state === 'open');
    const reached = reachedLimits(view);
    const isUsable = !isOff && !isFaulty && reached.length === 0;
    const ends = isOff ? [] : reached.flatMap(({ resetsAt }) => resetsAt ?? []);
    const until = ends.toSorted((one, other) => Number(other) - Number(one))[0];
    return [view.sim._id.toHexString(), { isUsable, isAsSet: !isUsable && !isFaulty, until }];
  });
}

const reachedLimits = ({ sim, usage }: PhoneFacts['sims'][number]) =>
  Object.values(PERIOD_LIMITS).flatMap((limit) => {
    const { used = 0, resetsAt } = usage[limit] ?? {};
    return used >= (sim.limits?.[limit] ?? Infinity) ? [{ resetsAt }] : [];
  });

function unusablePools({ pools, phones }: ProblemFacts): AccountProblem[] {
  const states = new Map(phones.flatMap(simStates));
  return pools.flatMap(({ _id: id, name, sims }): AccountProblem[] => {
    const found = sims.map((sim) => states.get(sim.toHexString()));
    if (found.some((state) => state?.isUsable)) return [];
    const subject = { type: 'pool', id, name } as const;
    if (sims.length > 0 && found.every((state) => state?.isAsSet)) {
      const [until] = found.flatMap((state) => state?.until ?? []).toSorted((a, b) => Number(a) - Number(b));
      return [
        {
          code: 'pool_paused',
          severity: 'info',
          ...(until && { until }),
          subject,
          text: `No SIM of the pool "${name}" sends now, as it is set: each is disabled, draining or at a limit. Its messages wait.`,
          remedy: 'To send sooner, raise a limit, enable a SIM, or add other SIMs to the pool.',
        },
      ];
    }
    return [
      {
        code: 'pool_unusable',
        severity: 'error',
        subject,
        text:
          sims.length === 0
            ? `The pool "${name}" has no SIMs.`
            : `No SIM of the pool "${name}" can send now: each is disabled, unhealthy or at a limit, or its phone cannot be used.`,
        remedy:
          sims.length === 0
            ? 'Add SIMs to it, or delete it.'
            : 'Fix the phones and SIMs of the pool, or add other SIMs to it.',
      },
    ];
  });
}

/** What to do if a text of the loop test did not arrive. */
const LOOP_REMEDIES: Record<LoopReason, string> = {
  refused: 'Read why its send was refused, and run the loop test again.',
  not_handed_over:
    'Check that the sending phone is online and its SIM may send, and run the loop test again.',
  failed: 'Check the credit and the reception of the sending SIM, and run the loop test again.',
  not_reported: 'Open the app on the sending phone, and run the loop test again.',
  receiving_off:
    'Switch on receiving in the app of the phone that is to receive, and run the loop test again.',
  receiver_offline: 'Check that the phone that is to receive is switched on and has internet.',
  not_received:
    'Switch off RCS chats in the messages app of both phones: they swallow texts before any other app sees them. Then check that the app may read SMS and that the number is right, and run the loop test again.',
};

/** The directions whose text did not arrive in the last loop test, unless a SIM has left its phone since. */
function loopProblems({ loopRun, phones }: ProblemFacts): AccountProblem[] {
  const sims = new Map(phones.flatMap((phone) => phone.sims.map(({ sim }) => [sim._id.toHexString(), sim])));
  return (loopRun?.legs ?? []).flatMap((leg: LoopLeg): AccountProblem[] => {
    const [from, to] = [sims.get(leg.from.toHexString()), sims.get(leg.to.toHexString())];
    if (!loopRun || !leg.reason || !from || !to) return [];
    const isSender = leg.result === 'not_sent' || leg.reason === 'not_reported';
    const sim = isSender ? from : to;
    const what = isSender ? 'was not sent' : 'did not arrive';
    return [
      {
        code: 'loop_test_failed',
        severity: 'warning',
        since: loopRun.startedAt,
        subject: { type: 'sim', id: sim._id, name: simTitleOf(sim) },
        text: `The loop test failed: a text from ${simNameOf(from, 'a SIM')} to ${simNameOf(to, 'a SIM')} ${what}.`,
        remedy: LOOP_REMEDIES[leg.reason],
      },
    ];
  });
}

const namesOf = ({ _id: id, name, deliveryUrl }: WebhookSubscription) => ({
  subject: { type: 'webhook', id, name: name ?? deliveryUrl } as const,
  theWebhook: name === undefined ? `The webhook to ${deliveryUrl}` : `The webhook "${name}"`,
});

/** Deleting a device or pool leaves the filter as it is: without it, the webhook would get what was not asked for. */
function filterProblems(
  webhook: WebhookSubscription,
  { phones, pools }: Pick<ProblemFacts, 'phones' | 'pools'>,
): AccountProblem[] {
  const { isActive, deviceIds = [], poolIds = [] } = webhook;
  const known = new Set(
    [...phones.map(({ device }) => device), ...pools].map(({ _id }) => _id.toHexString()),
  );
  const ids = [...deviceIds, ...poolIds];
  const gone = ids.filter((id) => !known.has(id.toHexString()));
  if (!isActive || gone.length === 0) return [];
  const { subject, theWebhook } = namesOf(webhook);
  const hasNoneLeft = gone.length === ids.length;
  return [
    {
      code: 'webhook_filter_outdated',
      severity: hasNoneLeft ? 'error' : 'warning',
      subject,
      text: hasNoneLeft
        ? `${theWebhook} gets no events: all devices and pools that it is limited to were deleted.`
        : `${theWebhook} is limited to devices and pools of which ${numbers.format(gone.length)} of ${numbers.format(ids.length)} were deleted.`,
      remedy: 'Choose other devices or pools for it, or remove its filter.',
    },
  ];
}

function webhookProblems(webhook: WebhookSubscription): AccountProblem[] {
  const { isActive, failingSince, failingAttempts, notes } = webhook;
  if (!failingSince) return [];
  const { subject, theWebhook } = namesOf(webhook);
  if (isActive) {
    if (failingAttempts < MIN_FAILING_ATTEMPTS) return [];
    const text = `${theWebhook} fails: its last ${numbers.format(failingAttempts)} attempts were not accepted.`;
    const remedy =
      'See its failed deliveries, and fix the endpoint. Deliveries are repeated until they succeed or run out of attempts; a webhook that keeps failing is paused.';
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
      remedy: 'Fix the endpoint, set the webhook active again, and replay the events that it missed.',
    },
  ];
}
