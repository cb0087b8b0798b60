/** A number of messages at a time, in seconds since the send. */
export type Point = readonly [seconds: number, messages: number];

/** What `POST gateway/estimates` says of one SIM. */
export interface SimShare {
  readonly messages: number;
  readonly until: string;
}

/** How many messages should be on the air, if each SIM sends evenly until its forecast. @param start epoch milliseconds. */
export function forecastCurve(sims: readonly SimShare[], start: number): Point[] {
  const lanes = sims.map(({ messages, until }) => ({
    messages,
    seconds: (Date.parse(until) - start) / 1_000,
  }));
  const ends = [...new Set([0, ...lanes.map(({ seconds }) => seconds)])].sort((one, other) => one - other);
  return ends.map((at) => [
    at,
    lanes.reduce((sum, { messages, seconds }) => sum + messages * Math.min(1, at / seconds), 0),
  ]);
}

/** How many messages were on the air. @param times epoch milliseconds. @param most points of the curve. */
export function measuredCurve(times: readonly number[], start: number, most = 200): Point[] {
  const sorted = [...times].sort((one, other) => one - other);
  const step = Math.max(1, Math.floor(sorted.length / most));
  const points = sorted.flatMap((time, index): Point[] =>
    (index + 1) % step === 0 || index === sorted.length - 1 ? [[(time - start) / 1_000, index + 1]] : [],
  );
  return [[0, 0], ...points];
}

/** By how much the end differs from its forecast, as a share of the forecast time. Positive: later. */
export function forecastError(start: number, forecast: number, end: number): number {
  return (end - forecast) / (forecast - start);
}

/** The largest difference in messages between two curves, at the points of the second. */
export function largestGap(curve: readonly Point[], other: readonly Point[]): number {
  return Math.max(...other.map(([seconds, messages]) => Math.abs(messages - valueAt(curve, seconds))));
}

function valueAt(curve: readonly Point[], seconds: number): number {
  const next = curve.findIndex(([at]) => at >= seconds);
  const [after, before] = [curve[next], curve[next - 1]];
  if (!after) return curve.at(-1)?.[1] ?? 0;
  if (!before) return after[1];
  return before[1] + ((seconds - before[0]) / (after[0] - before[0])) * (after[1] - before[1]);
}
