import { groupsOf } from '../../common/group-by';
import type { Device } from '../../devices/device.schema';
import { limitsOf } from '../../devices/sims/choose-phone-sim';
import type { SimUsage } from '../../devices/sims/sim-usage.schema';
import type { SimRecord } from '../../devices/sims/sim.schema';
import { forecastHeld, type ForecastMessage } from '../estimates/held-forecast';
import { laneKey, laneMessageMs, laneOf } from '../senders/lane';

/** A message that leaves by itself, sooner or later. */
export interface LeavingMessage extends ForecastMessage {
  readonly parts: number;
}

/** What a SIM, or a phone that chooses its SIM, has to send. */
export interface ShareOfQueue {
  readonly device: Pick<Device, '_id' | 'smsSendDelaySeconds' | 'partsPerMinute' | 'pacedUntil'>;
  /** Absent if the phone chooses. */
  readonly sim?: SimRecord;
  /** Absent if nothing is used. */
  readonly usage?: SimUsage;
  readonly leaving: readonly LeavingMessage[];
}

/** A forecast by the limits of a SIM visits each message once in each period that it waits for. */
const MAX_STEPS = 1_000_000;

/**
 * Forecasts when each SIM will have sent its messages, if nothing else is sent: they leave when they are due and the limits
 * allow it, one after the other at the pace of the SIM or of its phone.
 * @param now milliseconds since 1970.
 * @returns the ends, in milliseconds since 1970. Shares without messages have none, nor have those whose limits would spread
 * so many messages over so many periods that it cannot be told.
 */
export function forecastQueue<Share extends ShareOfQueue>(
  shares: readonly Share[],
  now: number,
): Map<Share, number> {
  const ends = new Map<Share, number>();
  for (const lane of groupsOf(shares, (share) => laneKey(laneOf(share)))) {
    const [first] = lane;
    const ownFullAt = laneOf(first).sim ? first.usage?.fullAt : first.device.pacedUntil;
    let freeAt = Math.max(now, ownFullAt ?? 0);
    for (const { share, at, parts } of lane.flatMap((each) => departures(each, now)).sort(byTime)) {
      freeAt = Math.max(freeAt, at) + laneMessageMs(parts, share);
      ends.set(share, freeAt);
    }
  }
  return ends;
}

const byTime = (one: { readonly at: number }, other: { readonly at: number }) => one.at - other.at;

function departures<Share extends ShareOfQueue>(share: Share, now: number) {
  const { sim, usage, leaving } = share;
  if (sim && stepsOf(sim, leaving.length) > MAX_STEPS) return [];
  const held = sim ? forecastHeld(sim, usage, leaving, now) : undefined;
  return leaving.map((message) => ({
    share,
    parts: message.parts,
    at: Math.max(now, message.dueAt, held?.get(message)?.until ?? 0),
  }));
}

function stepsOf(sim: SimRecord, count: number): number {
  const { messagesPerHour, messagesPerDay, messagesPerMonth, recipientsPerMonth } = limitsOf(sim) ?? {};
  const caps = [messagesPerHour, messagesPerDay, messagesPerMonth, recipientsPerMonth];
  return count ** 2 / Math.min(Infinity, ...caps.flatMap((cap) => cap ?? []));
}
