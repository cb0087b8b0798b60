import type { QuietHours } from '../../messages/batch.schema';
import { afterQuietHours, quietHoursStart } from './quiet-hours';

/** A message of a send with quiet hours. */
export interface QuietCandidate {
  /** In E.164; any other text has no time zone of its own. */
  readonly number: string;
  /** IANA name, for numbers without a known zone. */
  readonly fallbackZone?: string;
  readonly dueAt: Date;
  /** When the waves of its group began; absent if it is not one of several waves. */
  readonly groupStart?: Date;
}

export interface QuietWait {
  /** The end of the quiet hours. */
  readonly endsAt: Date;
  /** When it leaves: waves follow each other after the end as they would have before. */
  readonly until: Date;
}

/** @returns how long a message waits that would leave at `time`; undefined if it need not. */
export function quietWait(
  hours: QuietHours,
  { number, fallbackZone, dueAt, groupStart }: QuietCandidate,
  time: Date,
): QuietWait | undefined {
  const endsAt = afterQuietHours(hours, number, fallbackZone, time);
  if (endsAt <= time) return undefined;
  if (!groupStart) return { endsAt, until: endsAt };
  const quietSince = quietHoursStart(hours, number, fallbackZone, endsAt);
  const firstHeld = Math.max(groupStart.getTime(), quietSince.getTime());
  return { endsAt, until: new Date(endsAt.getTime() + Math.max(0, dueAt.getTime() - firstHeld)) };
}
