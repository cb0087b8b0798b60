const DEFAULT_SEND_DELAY_S = 1;

export interface WavePlan {
  readonly sizes: readonly number[];
  /** From the start of a wave to the start of the next one. */
  readonly gapMs: number;
  readonly durationMs: number;
}

/**
 * Splits `count` messages that are due together into waves, at the pace of the phone's delay between messages.
 * @param delaySeconds 0 counts as one second.
 */
export function planWaves(count: number, waveSize: number, delaySeconds: number): WavePlan {
  const delayMs = (delaySeconds || DEFAULT_SEND_DELAY_S) * 1_000;
  const sizes = Array.from({ length: Math.ceil(count / waveSize) }, (_, wave) =>
    Math.min(waveSize, count - wave * waveSize),
  );
  return { sizes, gapMs: waveSize * delayMs, durationMs: count * delayMs };
}

/** @param wave the wave's index within its group. */
export function waveDueAt(startAt: Date, gapMs: number, wave: number): Date {
  return new Date(startAt.getTime() + wave * gapMs);
}
