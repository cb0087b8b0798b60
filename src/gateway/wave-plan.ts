/** The pace of a phone that reports no delay at all. */
const PACE_WITHOUT_DELAY_SECONDS = 1;

/** How a group of messages that are due together is released. */
export interface WavePlan {
  /** Messages in each wave; one wave goes out at once. */
  readonly sizes: readonly number[];
  /** Milliseconds from one wave to the next. */
  readonly gapMs: number;
  /** Milliseconds the phone is busy with the whole group. */
  readonly durationMs: number;
}

/** Cuts a group of `count` messages into waves at the pace of the phone's own delay between messages. */
export function planWaves(count: number, waveSize: number, delaySeconds: number): WavePlan {
  const pauseMs = (delaySeconds || PACE_WITHOUT_DELAY_SECONDS) * 1_000;
  const sizes = Array.from({ length: Math.ceil(count / waveSize) }, (_, wave) =>
    Math.min(waveSize, count - wave * waveSize),
  );
  return { sizes, gapMs: waveSize * pauseMs, durationMs: count * pauseMs };
}

/** When the wave with this number in its group is due. */
export function waveDueAt(startAt: Date, gapMs: number, wave: number): Date {
  return new Date(startAt.getTime() + wave * gapMs);
}
