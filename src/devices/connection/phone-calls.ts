import { ANSWER_TIMEOUT_MS, comesOnline, type ConnectionFacts, later } from './connection';

/** What the calls of a phone say: `acknowledgement` and `report` answer messages, any other is a `call`. */
export type PhoneCallKind = 'call' | 'report' | 'acknowledgement';

/** Latest calls of a phone and earliest hand-over to it that are not stored yet. */
export interface Observation {
  readonly calledAt?: Date;
  readonly answeredAt?: Date;
  readonly acknowledgedAt?: Date;
  readonly handedOverAt?: Date;
}

export interface ConnectionChanges {
  /** Times that only move forward. */
  readonly latest: {
    readonly lastContactAt?: Date;
    readonly lastAcknowledgedAt?: Date;
    readonly onlineSince?: Date;
  };
  /** Check the connection at this time, or before. */
  readonly checkAt?: Date;
}

export function observeCall(kind: PhoneCallKind, at: Date): Observation {
  return {
    calledAt: at,
    ...(kind !== 'call' && { answeredAt: at }),
    ...(kind === 'acknowledgement' && { acknowledgedAt: at }),
  };
}

export function mergeObservations(one: Observation | undefined, other: Observation): Observation {
  if (!one) return other;
  return {
    calledAt: later(one.calledAt, other.calledAt),
    answeredAt: later(one.answeredAt, other.answeredAt),
    acknowledgedAt: later(one.acknowledgedAt, other.acknowledgedAt),
    handedOverAt:
      one.handedOverAt && other.handedOverAt && one.handedOverAt < other.handedOverAt
        ? one.handedOverAt
        : (other.handedOverAt ?? one.handedOverAt),
  };
}

/** What to store of an observation. */
export function changesOf(
  device: ConnectionFacts,
  { calledAt, answeredAt, acknowledgedAt, handedOverAt }: Observation,
): ConnectionChanges {
  // A report answers for an app that acknowledges; other apps answer with any call.
  const isAcknowledging = device.lastAcknowledgedAt !== undefined || acknowledgedAt !== undefined;
  const after = {
    ...device,
    lastContactAt: later(device.lastContactAt, calledAt),
    ...(isAcknowledging && { lastAcknowledgedAt: later(device.lastAcknowledgedAt, answeredAt) }),
  };
  const isBack = calledAt !== undefined && comesOnline(device, after, calledAt);
  const answerDueAt = handedOverAt && new Date(handedOverAt.getTime() + ANSWER_TIMEOUT_MS);
  const checkAt = isBack ? calledAt : answerDueAt;
  return {
    latest: {
      ...(calledAt && { lastContactAt: calledAt }),
      ...(isAcknowledging && answeredAt && { lastAcknowledgedAt: answeredAt }),
      ...(isBack && { onlineSince: calledAt }),
    },
    ...(checkAt && { checkAt }),
  };
}
