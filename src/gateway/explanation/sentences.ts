import type { WaitReason } from '../../devices/sims/wait-reasons';
import type { AttemptOutcome } from '../../messages/message.schema';
import type { UnconfirmedReason } from '../../messages/outbox/message-event';
import type { StepCode } from './steps';

export interface Names {
  /** Within a sentence. */
  readonly phone: string;
  /** Within a sentence. */
  readonly sim: string;
}

interface WaitSentence {
  /** Completes "It waits: …". */
  readonly why: (names: Names) => string;
  /** When it can leave, if no time is known. */
  readonly ends: string;
}

const limitReached = (limit: string): WaitSentence => ({
  why: ({ sim }) => `${sim} has reached its limit of ${limit}`,
  ends: 'It leaves when the period starts anew, or after a change of the limit.',
});

export const WAITS = {
  parts_per_minute: {
    why: () => 'more SMS parts would exceed what Android or a limit of the SIM allows in a minute',
    ends: 'It leaves as soon as the pace allows.',
  },
  messages_per_hour: limitReached('messages an hour'),
  messages_per_day: limitReached('messages a day'),
  messages_per_month: limitReached('messages a month'),
  recipients_per_month: limitReached('distinct recipients a month'),
  sim_disabled: { why: ({ sim }) => `${sim} is disabled`, ends: 'It leaves when the SIM is enabled.' },
  sim_absent: {
    why: ({ phone }) => `the SIM that it is for is not in ${phone}`,
    ends: 'It leaves when the SIM is back.',
  },
  sim_unhealthy: {
    why: () =>
      'too many messages fail on the SIMs of its pool that could take it, and each takes one message at a time until it recovers',
    ends: 'It leaves when one of them recovers.',
  },
  phone_unreachable: {
    why: () => 'no phone with a SIM of its pool can be reached',
    ends: 'It leaves when one is back.',
  },
  no_sim_for_country: {
    why: () => 'no SIM of its pool may send to the country of the recipient',
    ends: 'It leaves after a change of the pool.',
  },
  pool_empty: { why: () => 'its pool has no SIMs', ends: 'It leaves when the pool has one.' },
  quiet_hours: {
    why: () => 'these are quiet hours where the recipient is',
    ends: 'It leaves when they end.',
  },
  paused: { why: () => 'its batch is paused', ends: 'It leaves after the batch is resumed.' },
} as const satisfies Record<WaitReason, WaitSentence>;

interface AttemptSentence {
  readonly code: StepCode;
  readonly what: (names: Names) => string;
  /** Why it is certain that the message did not leave. */
  readonly proof: string;
}

export const ATTEMPTS = {
  unavailable: {
    code: 'attempt_unavailable',
    what: ({ phone }) => `the push service could not be reached to hand it to ${phone}`,
    proof: 'the phone never got it',
  },
  refused: {
    code: 'attempt_refused',
    what: ({ phone }) => `the push service refused to hand it to ${phone}`,
    proof: 'the phone never got it',
  },
  not_sent: {
    code: 'attempt_not_sent',
    what: ({ phone, sim }) => `${phone} reported that it could not send it with ${sim}`,
    proof: 'with this code, Android reports that the message never reached the network',
  },
} as const satisfies Record<AttemptOutcome, AttemptSentence>;

export const UNCONFIRMED = {
  NO_REPORT: ({ phone }) => `${phone} did not report for 24 hours whether it sent it`,
  DEVICE_DELETED: ({ phone }) => `${phone} was deleted before it reported whether it sent it`,
  DEVICE_DISABLED: ({ phone }) => `${phone} is disabled and did not report for 24 hours whether it sent it`,
} as const satisfies Record<UnconfirmedReason, (names: Names) => string>;
