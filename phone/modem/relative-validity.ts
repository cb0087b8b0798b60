const MINUTES_PER_DAY = 1_440;

/**
 * How long the network keeps trying to deliver a message, as GSM 03.40 writes it (9.2.3.12.1), rounded down.
 * @returns 0 (five minutes) to 255 (63 weeks); undefined without a deadline: the network decides.
 */
export function relativeValidity(validUntil: string | undefined, now: number): number | undefined {
  if (validUntil === undefined) return undefined;
  const minutes = (Date.parse(validUntil) - now) / 60_000;
  const days = minutes / MINUTES_PER_DAY;
  if (minutes <= 720) return Math.max(0, Math.floor(minutes / 5) - 1);
  if (days <= 1) return 143 + Math.floor((minutes - 720) / 30);
  if (days < 31) return 166 + Math.floor(days);
  return Math.min(255, 192 + Math.floor(days / 7));
}
