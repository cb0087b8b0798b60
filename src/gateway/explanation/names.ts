import type { Types } from 'mongoose';
import { capitalize } from '../../common/capitalize';
import { MINUTE_MS } from '../../common/durations';
import { deviceNameOf, simNameOf } from '../../devices/names';
import type { Facts } from './facts';

const HOUR = 60;
const DAY = 24 * HOUR;

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** The name of a phone within a sentence. */
export function thePhone(facts: Pick<Facts, 'devices'>, id: Types.ObjectId | undefined): string {
  const device = id && facts.devices.get(id.toHexString());
  return (device && deviceNameOf(device)) ?? 'the phone';
}

/** The name of a phone, to begin a sentence. */
export const phoneName = (facts: Pick<Facts, 'devices'>, id: Types.ObjectId | undefined): string =>
  capitalize(thePhone(facts, id));

/** The name of a SIM within a sentence: its label, else its number, else its network and slot. */
export function theSim({ sims }: Pick<Facts, 'sims'>, id: Types.ObjectId | undefined): string {
  return simNameOf((id && sims.get(id.toHexString())) ?? {}, 'its SIM');
}

/** A time for a sentence, with "on": "on 1 February 2026 at 23:00 UTC". */
export const onTime = (time: Date): string => `on ${TIME.format(time)} UTC`;

/** How long something takes or took: "25 minutes". */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 2 * HOUR) return counted(minutes, 'minute');
  return minutes < 2 * DAY
    ? counted(Math.floor(minutes / HOUR), 'hour')
    : counted(Math.floor(minutes / DAY), 'day');
}

/** A number of things: "1 attempt", "2 attempts". */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
