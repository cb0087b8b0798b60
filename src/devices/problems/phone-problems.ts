import { capitalize } from '../../common/capitalize';
import { DAY_MS } from '../../common/durations';
import { lacksToken } from '../connection/connection';
import type { Device } from '../store/device.schema';
import { FirebaseNotConfigured } from '../store/devices.errors';
import { deviceNameOf } from '../store/device-name';
import { simNameOf, simTitleOf } from '../sims/sim-name';
import type { SimLimits } from '../sims/schemas/sim.schema';
import type { SimView } from '../sims/sims.service';
import type { PhoneFacts } from './phone-facts';
import { type Problem, SEVERITIES, type Severity } from './problem';

export const PHONE_PROBLEM_CODES = [
  'push_not_set_up',
  'phone_offline',
  'phone_unresponsive',
  'phone_fetches_rarely',
  'phone_disabled',
  'incoming_messages_ignored',
  'battery_optimization_on',
  'battery_low',
  'sim_unhealthy',
  'sim_limit_reached',
  'sim_limit_near',
] as const;
export type PhoneProblemCode = (typeof PHONE_PROBLEM_CODES)[number];
export type PhoneProblem = Problem<PhoneProblemCode>;

/** The worst severity of the problems of a phone, and the problems; without those of which nothing needs repair. */
export interface PhoneHealth {
  readonly state: 'ok' | Exclude<Severity, 'info'>;
  readonly reasons: readonly Pick<PhoneProblem, 'code' | 'text'>[];
}

/** Messages that were ignored longer ago are no problem any more. */
const IGNORED_SMS_MS = 7 * DAY_MS;

const LOW_BATTERY_PERCENT = 15;

/** From this share on, a limit of a day or a month is nearly used. */
const NEARLY_USED_SHARE = 0.8;

const LIMIT_UNITS = {
  messagesPerHour: 'messages an hour',
  messagesPerDay: 'messages a day',
  messagesPerMonth: 'messages a month',
  recipientsPerMonth: 'recipients a month',
} as const satisfies Partial<Record<keyof SimLimits, string>>;

const numbers = new Intl.NumberFormat('en');

/**
 * What is wrong with a phone and the SIMs in it, errors first. A phone that its owner has disabled has only that problem, and
 * that messages arrive there all the same.
 */
export function problemsOfPhone(facts: PhoneFacts): PhoneProblem[] {
  const { device, sims } = facts;
  const name = deviceNameOf(device) ?? 'The phone';
  const subject = { type: 'device', id: device._id, name: deviceNameOf(device) ?? 'Phone' } as const;
  if (!device.enabled) {
    const isSwitchedOff = device.enabledByPhone === false && device.enabledByOwner;
    const text = isSwitchedOff ? `${name} is switched off in its app.` : `${name} is disabled.`;
    const remedy = isSwitchedOff
      ? 'Switch it on in the app to send and receive by it again, or delete it if it is no longer used.'
      : 'Enable it to send and receive by it again, or delete it if it is no longer used.';
    return [
      { code: 'phone_disabled', severity: 'warning', subject, text, remedy },
      ...ignoredMessages(facts, name).map((problem) => ({ subject, ...problem })),
    ];
  }
  const problems = [
    ...reachability(facts, name),
    ...power(device, name),
    ...ignoredMessages(facts, name),
    ...sims.filter(({ sim }) => sim.enabled).flatMap((view) => simProblems(view, deviceNameOf(device))),
  ];
  return bySeverity(problems.map((problem) => ({ subject, ...problem })));
}

export function healthOf(problems: readonly PhoneProblem[]): PhoneHealth {
  const faults = problems.filter(({ severity }) => severity !== 'info');
  const state = faults.some(({ severity }) => severity === 'error') ? 'error' : 'warning';
  return {
    state: faults.length === 0 ? 'ok' : state,
    reasons: faults.map(({ code, text }) => ({ code, text })),
  };
}

/** The worst first, otherwise in the same order. */
export const bySeverity = <Any extends { readonly severity: Severity }>(problems: readonly Any[]): Any[] =>
  SEVERITIES.flatMap((each) => problems.filter(({ severity }) => severity === each));

type OwnProblem = Omit<PhoneProblem, 'subject'>;

function reachability({ device, connection, pushError }: PhoneFacts, name: string): OwnProblem[] {
  const problems: OwnProblem[] = [];
  const isUnconfigured = pushError instanceof FirebaseNotConfigured;
  if (pushError && isUnconfigured) {
    const text = `${name} is reached by Firebase Cloud Messaging, which is not set up on the server.`;
    problems.push({ code: 'push_not_set_up', severity: 'error', text, remedy: `${pushError.message}.` });
  }
  const { state, since } = connection;
  if (state === 'offline' && !(isUnconfigured && lacksToken(device))) {
    const remedy = pushError
      ? `${pushError.message}.`
      : 'Check that it is switched on and has a connection to the internet, and open the app.';
    const text = `${name} cannot be reached.`;
    problems.push({ code: 'phone_offline', severity: 'error', since, text, remedy });
  }
  if (state !== 'offline' && device.usesOwnPush) {
    problems.push({
      code: 'phone_fetches_rarely',
      severity: 'warning',
      text: `${name} fetches its messages only every 15 minutes.`,
      remedy: 'In the app, set the notification channel to SSE Only, then stop and start it.',
    });
  }
  if (state === 'unresponsive') {
    const remedy =
      'Open the app on the phone. If it happens again, exempt the app from battery optimisation, and restart the phone.';
    const text = `${name} can be reached, but does not answer.`;
    problems.push({ code: 'phone_unresponsive', severity: 'error', since, text, remedy });
  }
  return problems;
}

function power({ powerInfo, batteryInfo }: Device, name: string): OwnProblem[] {
  const problems: OwnProblem[] = [];
  if (powerInfo?.isIgnoringBatteryOptimizations === false) {
    problems.push({
      code: 'battery_optimization_on',
      severity: 'warning',
      text: `Battery optimisation is on for the app on ${name}: Android may stop it in the background.`,
      remedy: 'In the Android settings of the app, set its battery usage to unrestricted.',
    });
  }
  const { percentage, isCharging } = batteryInfo ?? {};
  if (percentage !== undefined && percentage <= LOW_BATTERY_PERCENT && isCharging === false) {
    problems.push({
      code: 'battery_low',
      severity: 'warning',
      text: `The battery of ${name} is at ${percentage} % and is not charging.`,
      remedy: 'Connect it to a charger.',
    });
  }
  return problems;
}

function ignoredMessages({ device, now }: PhoneFacts, name: string): OwnProblem[] {
  const { enabled, receiveSMSEnabled, lastIgnoredSmsAt } = device;
  if (enabled && receiveSMSEnabled) return [];
  if (!lastIgnoredSmsAt || now.getTime() - lastIgnoredSmsAt.getTime() > IGNORED_SMS_MS) return [];
  const state = enabled ? 'has receiving switched off' : 'is disabled';
  const change = enabled ? 'Switch on receiving in the app' : 'Enable it';
  return [
    {
      code: 'incoming_messages_ignored',
      severity: 'warning',
      text: `${name} ${state}, but messages arrive there: in the last seven days some were ignored and not stored.`,
      remedy: `${change} if its messages are wanted, or else take its SIM out.`,
    },
  ];
}

function simProblems({ sim, usage, health }: SimView, phone: string | undefined): PhoneProblem[] {
  const subject = { type: 'sim', id: sim._id, name: simTitleOf(sim) } as const;
  const theSim = simNameOf(sim, phone ? `the SIM of ${phone}` : 'the SIM of the phone');
  const name = capitalize(theSim);
  const problems: PhoneProblem[] = [];
  if (health.state !== 'closed') {
    const isOpen = health.state === 'open';
    problems.push({
      code: 'sim_unhealthy',
      severity: isOpen ? 'error' : 'warning',
      ...(health.since && { since: health.since }),
      subject,
      text: isOpen
        ? `${name} does not send: its messages fail or are no longer delivered.`
        : `${name} did not send; it takes one message at a time to find out whether it does again.`,
      remedy:
        'Check its credit, its plan and the reception of the phone, and whether the carrier has blocked it. Then reset its health.',
    });
  }
  const limit = mostUsedLimit({ sim, usage });
  if (limit) {
    const { used, allowed, unit, resetsAt, isReached } = limit;
    const count = `${numbers.format(used)} of ${numbers.format(allowed)} ${unit}`;
    problems.push({
      code: isReached ? 'sim_limit_reached' : 'sim_limit_near',
      // A limit is what the owner has set.
      severity: 'info',
      ...(resetsAt && { until: resetsAt }),
      subject,
      text: isReached ? `${name} has reached a limit: ${count}.` : `${name} is near a limit: ${count}.`,
      remedy: isReached
        ? 'Its messages wait until the limit resets. Raise the limit if the plan of the SIM allows more, or send by a pool with other SIMs.'
        : 'Messages beyond the limit will wait until it resets. Raise it if the plan of the SIM allows more, or send by a pool with other SIMs.',
    });
  }
  return problems;
}

/** The reached limit that resets last; if none is reached, the most used one of those that are nearly used. */
function mostUsedLimit({ sim, usage }: Pick<SimView, 'sim' | 'usage'>) {
  const limits = Object.entries(LIMIT_UNITS).flatMap(([key, unit]) => {
    const limit = key as keyof typeof LIMIT_UNITS;
    const { used, resetsAt } = usage[limit] ?? {};
    const allowed = sim.limits?.[limit];
    if (used === undefined || allowed === undefined) return [];
    const isReached = used >= allowed;
    return isReached || (limit !== 'messagesPerHour' && used >= NEARLY_USED_SHARE * allowed)
      ? [{ used, allowed, unit, resetsAt, isReached }]
      : [];
  });
  const reached = limits.filter(({ isReached }) => isReached);
  if (reached.length > 0)
    return reached.toSorted((a, b) => (b.resetsAt?.getTime() ?? 0) - (a.resetsAt?.getTime() ?? 0))[0];
  return limits.toSorted((a, b) => b.used / b.allowed - a.used / a.allowed)[0];
}
