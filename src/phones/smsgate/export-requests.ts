import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/durations';
import { later } from '../../devices/connection/connection';
import type { Device, ExportRequest } from '../../devices/store/device.schema';

/** A phone that was away for longer may have received texts that its app did not post, also without a restart of the app. */
const MIN_GAP_MS = 2 * MINUTE_MS;

/** Before the gap: the end of a stream may be noticed late. */
const MARGIN_MS = MINUTE_MS;

/** An app reads no further back. */
const MAX_GAP_MS = 7 * DAY_MS;

/** A request may be lost with its stream, so that each stream that opens within this time repeats it. */
const REPEAT_MS = 10 * MINUTE_MS;

/** An app that starts again and again is asked for the same texts no longer than this. */
const MAX_REPEAT_MS = HOUR_MS;

type RequestFacts = Pick<Device, 'stream' | 'lastHeartbeat' | 'exportRequest'>;

/** The request to an app that has started: it was off, so it is asked however short that was. Undefined before its first stream. */
export function requestAtStart(device: RequestFacts, now: Date): ExportRequest | undefined {
  const running = runningRequest(device, now);
  if (running && now.getTime() - running.begunAt.getTime() < MAX_REPEAT_MS)
    return { ...running, until: now, repeatedUntil: new Date(now.getTime() + REPEAT_MS) };
  const seenAt = lastSeenAt(device);
  return seenAt && newRequest(seenAt, now);
}

/**
 * The request to a phone that opens a stream; undefined if it was not away. A repetition does not move the end of the repetitions: a phone
 * that reconnects every few minutes would be asked for ever.
 * @param isConnected whether it has another stream, which a phone that lost its power leaves half open.
 */
export function requestAtStream(
  device: RequestFacts,
  isConnected: boolean,
  now: Date,
): ExportRequest | undefined {
  const running = runningRequest(device, now);
  if (running) return { ...running, until: now };
  const seenAt = lastSeenAt(device);
  if (!seenAt || isConnected || now.getTime() - seenAt.getTime() < MIN_GAP_MS) return undefined;
  return newRequest(seenAt, now);
}

function newRequest(seenAt: Date, now: Date): ExportRequest {
  const since = new Date(Math.max(seenAt.getTime() - MARGIN_MS, now.getTime() - MAX_GAP_MS));
  return { since, until: now, begunAt: now, repeatedUntil: new Date(now.getTime() + REPEAT_MS) };
}

function runningRequest({ exportRequest }: RequestFacts, now: Date): ExportRequest | undefined {
  return exportRequest && now < exportRequest.repeatedUntil ? exportRequest : undefined;
}

/** A stream whose process died was not closed. */
function lastSeenAt({ stream, lastHeartbeat }: RequestFacts): Date | undefined {
  return stream && (stream.closedAt ?? later(stream.openedAt, lastHeartbeat));
}
