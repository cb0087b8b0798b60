import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import type { Device } from '../store/device.schema';
import { capabilitiesOf } from '../store/phone-capabilities';
import type { ConnectionState } from '../states/connection-state';
import { missedHeartbeatsAt } from '../store/missed-heartbeats';

export interface Connection {
  readonly state: ConnectionState;
  /** When the cause began: see `causesOf`. */
  readonly since: Date;
}

export const CONNECTION_FIELDS = {
  pushTransport: 1,
  usesOwnPush: 1,
  fcmToken: 1,
  pushTokenMissingSince: 1,
  stream: 1,
  heartbeatEnabled: 1,
  heartbeatIntervalMinutes: 1,
  lastHeartbeat: 1,
  lastContactAt: 1,
  lastAcknowledgedAt: 1,
  unansweredSince: 1,
  onlineSince: 1,
  smsSendDelaySeconds: 1,
  createdAt: 1,
} as const satisfies Partial<Record<keyof Device, 1>>;

/** What the state of a connection is derived from. */
export type ConnectionFacts = Pick<Device, keyof typeof CONNECTION_FIELDS>;

/** A phone whose stream was closed reconnects within this time, for example when a process is restarted. */
export const RECONNECT_TIMEOUT_MS = 30_000;

/** Two fetches of a phone that opens no stream, and some delay. */
const RARE_FETCH_MS = 35 * MINUTE_MS;

/** A phone that acknowledges messages does so within this time. */
export const ANSWER_TIMEOUT_MS = 30_000;

interface Cause {
  readonly state: Exclude<ConnectionState, 'online'>;
  readonly since: Date;
  /** From when on it determines the state. */
  readonly effectiveAt: Date;
}

/** The connection of a phone, enabled or not. */
export function connectionOf(device: ConnectionFacts, now: Date): Connection {
  const causes = causesOf(device).filter(({ effectiveAt }) => effectiveAt <= now);
  for (const state of ['offline', 'unresponsive'] as const) {
    const since = earliest(causes.filter((cause) => cause.state === state).map((cause) => cause.since));
    if (since) return { state, since };
  }
  return { state: 'online', since: device.onlineSince ?? device.createdAt };
}

/** When the state changes if the phone does not call; undefined if never. */
export function nextConnectionChangeAt(device: ConnectionFacts, now: Date): Date | undefined {
  return earliest(causesOf(device).flatMap(({ effectiveAt }) => (effectiveAt > now ? effectiveAt : [])));
}

/** Whether the phone was not online before, and is after. */
export function comesOnline(before: ConnectionFacts, after: ConnectionFacts, at: Date): boolean {
  return connectionOf(before, at).state !== 'online' && connectionOf(after, at).state === 'online';
}

export function heartbeatChanges(device: ConnectionFacts, now: Date): Partial<Device> {
  const contact = { lastHeartbeat: now, lastContactAt: now };
  const isBack = comesOnline(device, { ...device, ...contact }, now);
  return { ...contact, ...(isBack && { onlineSince: now, connectionCheckAt: now }) };
}

/**
 * The last call that answers a message handed over before it: the last acknowledgement or report; any call of an app that
 * never acknowledges, whose silence about a message proves nothing.
 */
export function lastAnswerOf(device: ConnectionFacts): Date | undefined {
  return device.lastAcknowledgedAt ?? device.lastContactAt;
}

/**
 * How long a phone may take to answer a message that it was handed. An app that never acknowledges answers with its
 * report, after the delay between two messages.
 */
export function answerTimeoutMs({ lastAcknowledgedAt, smsSendDelaySeconds }: ConnectionFacts): number {
  return ANSWER_TIMEOUT_MS + (lastAcknowledgedAt ? 0 : smsSendDelaySeconds * SECOND_MS);
}

/** When the phone was handed the first message that it did not answer in time; undefined if it has answered since. */
export function unansweredSinceOf(device: ConnectionFacts): Date | undefined {
  const { unansweredSince } = device;
  const lastAnswer = lastAnswerOf(device);
  return unansweredSince && lastAnswer && lastAnswer >= unansweredSince ? undefined : unansweredSince;
}

/** Whether a phone that needs a push token has none. */
export function lacksToken({ pushTransport, fcmToken }: Pick<Device, 'pushTransport' | 'fcmToken'>): boolean {
  return capabilitiesOf({ pushTransport }).needsPushToken && !fcmToken;
}

function causesOf(device: ConnectionFacts): Cause[] {
  const { stream } = device;
  const { holdsStream, fetches } = capabilitiesOf(device);
  const causes: Cause[] = [];
  if (lacksToken(device)) {
    const since = device.pushTokenMissingSince ?? device.createdAt;
    causes.push({ state: 'offline', since, effectiveAt: since });
  }
  if (holdsStream) {
    const since = stream ? (stream.closedAt ?? stream.untakenSince) : device.createdAt;
    const timeoutMs = stream ? RECONNECT_TIMEOUT_MS : 0;
    if (since) causes.push({ state: 'offline', since, effectiveAt: new Date(since.getTime() + timeoutMs) });
  }
  if (fetches && !isOpen(stream)) {
    const since = later(stream?.closedAt, device.lastContactAt) ?? device.createdAt;
    causes.push({
      state: 'offline',
      since,
      effectiveAt: new Date(since.getTime() + (device.usesOwnPush ? RARE_FETCH_MS : RECONNECT_TIMEOUT_MS)),
    });
  }
  const overdueAt = heartbeatOverdueAt(device);
  if (overdueAt) {
    const state = (holdsStream || fetches) && isOpen(stream) ? 'unresponsive' : 'offline';
    causes.push({ state, since: overdueAt, effectiveAt: overdueAt });
  }
  const unansweredSince = unansweredSinceOf(device);
  if (unansweredSince)
    causes.push({ state: 'unresponsive', since: unansweredSince, effectiveAt: unansweredSince });
  return causes;
}

const isOpen = (stream: Device['stream']) => stream !== undefined && !stream.closedAt;

/** When a phone that sends heartbeats has not called for two intervals. */
function heartbeatOverdueAt(device: ConnectionFacts): Date | undefined {
  const { heartbeatEnabled, lastHeartbeat, lastContactAt } = device;
  if (!heartbeatEnabled || !lastHeartbeat || !lastContactAt) return undefined;
  return missedHeartbeatsAt(lastContactAt, device);
}

function earliest(times: readonly Date[]): Date | undefined {
  return times.length > 0 ? new Date(Math.min(...times.map(Number))) : undefined;
}

export function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other && one > other ? one : (other ?? one);
}
