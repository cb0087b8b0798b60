import { groupsOf } from '../../../common/group-by';
import type { Device } from '../../../devices/store/device.schema';
import type { SimUsage } from '../../../devices/sims/schemas/sim-usage.schema';
import type { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { forecastHeld, type ForecastMessage } from '../estimates/held-forecast';
import { laneKey, laneMessageMs, laneOf } from '../../senders/lane';

/** A message that leaves by itself, sooner or later. */
export interface LeavingMessage extends ForecastMessage {
  readonly parts: number;
  /** Whether its phone has booked its parts: `pacedUntil` includes them. */
  readonly isBooked?: boolean;
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

/**
 * Forecasts when each SIM will have sent its messages, if nothing else is sent: they leave when they are due and the limits
 * allow it, one after the other at the pace of the SIM or of its phone.
 * @param now milliseconds since 1970.
 * @returns the ends, in milliseconds since 1970. Shares without messages have none, nor have those whose limits would spread
 * their messages over so many periods that it cannot be told.
 */
export function* forecastQueue<Share extends ShareOfQueue>(
  shares: readonly Share[],
  now: number,
): Generator<undefined, Map<Share, number>> {
  const ends = new Map<Share, number>();
  for (const lane of groupsOf(shares, (share) => laneKey(laneOf(share)))) {
    const [first] = lane;
    const ownFullAt = laneOf(first).sim ? first.usage?.fullAt : first.device.pacedUntil;
    let freeAt = Math.max(now, ownFullAt ?? 0);
    const leaving: Departure<Share>[] = [];
    for (const share of lane) for (const each of yield* departures(share, now)) leaving.push(each);
    for (const { share, at, parts, isBooked } of leaving.sort(byTime)) {
      const end = (isBooked ? at : Math.max(freeAt, at)) + laneMessageMs(parts, share);
      if (!isBooked) freeAt = end;
      ends.set(share, Math.max(end, ends.get(share) ?? 0));
      yield;
    }
  }
  return ends;
}

interface Departure<Share> {
  readonly share: Share;
  readonly at: number;
  readonly parts: number;
  readonly isBooked: boolean;
}

const byTime = (one: { readonly at: number }, other: { readonly at: number }) => one.at - other.at;

function* departures<Share extends ShareOfQueue>(
  share: Share,
  now: number,
): Generator<undefined, Departure<Share>[]> {
  const { sim, usage, leaving } = share;
  const forecast = sim && (yield* forecastHeld(sim, usage, leaving, now));
  if (forecast?.isComplete === false) return [];
  return leaving.map((message) => ({
    share,
    parts: message.parts,
    isBooked: message.isBooked === true && !laneOf(share).sim,
    at: Math.max(now, message.dueAt, forecast?.held.get(message)?.until ?? 0),
  }));
}
