import type { DispatchGroup } from '../../messages/batch.schema';

const DEFAULT_SEND_DELAY_S = 1;

/** Android lets an app send 30 parts a minute, and asks the person holding the phone beyond that. */
const DEFAULT_PARTS_PER_MINUTE = 24;

/** How fast a phone sends. */
export interface PhonePace {
  /** Between messages; 0 counts as one second. */
  readonly smsSendDelaySeconds: number;
  /** 0: unlimited; absent: 24. */
  readonly partsPerMinute?: number;
}

export interface WaveLimits {
  /** What a wave may take the phone; a single message may take longer. */
  readonly waveMs: number;
  /** Messages in a wave. This many messages that are due together are one wave, however long they take. */
  readonly waveSize: number;
}

/** Messages that each take the phone as long. */
export interface MessageRun {
  readonly count: number;
  readonly messageMs: number;
}

export interface WavePlan {
  /** Number of messages of each wave. */
  readonly sizes: readonly number[];
  /** From the start of a wave to the start of the next one. */
  readonly gapMs: number;
  readonly durationMs: number;
}

/** The time a phone takes for a message of this many parts. */
export function messageMs(
  parts: number,
  { smsSendDelaySeconds, partsPerMinute = DEFAULT_PARTS_PER_MINUTE }: PhonePace,
): number {
  const delayMs = (smsSendDelaySeconds || DEFAULT_SEND_DELAY_S) * 1_000;
  return partsPerMinute === 0 ? delayMs : Math.max(delayMs, (parts * 60_000) / partsPerMinute);
}

/** Splits messages that are due together into waves that start at equal intervals, as fast as the phone sends. */
export function planWaves(runs: readonly MessageRun[], { waveMs, waveSize }: WaveLimits): WavePlan {
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  const durationMs = runs.reduce((sum, run) => sum + run.count * run.messageMs, 0);
  if (count <= waveSize) return { sizes: [count], gapMs: durationMs, durationMs };
  const longestMs = runs.reduce((longest, run) => Math.max(longest, run.messageMs), waveMs);
  const sizes: number[] = [];
  let size = 0;
  let usedMs = 0;
  let gapMs = 0;
  const endWave = () => {
    sizes.push(size);
    gapMs = Math.max(gapMs, usedMs);
    size = usedMs = 0;
  };
  for (const run of runs) {
    for (let message = 0; message < run.count; message++) {
      if (size === waveSize || usedMs + run.messageMs > longestMs) endWave();
      size += 1;
      usedMs += run.messageMs;
    }
  }
  const lastMs = usedMs;
  endWave();
  return { sizes, gapMs, durationMs: (sizes.length - 1) * gapMs + lastMs };
}

/** @param wave the wave's number within its batch. */
export function isInGroup({ firstWave, waves }: DispatchGroup, wave: number): boolean {
  return wave >= firstWave && wave < firstWave + waves;
}

/** @param wave the wave's index within its group. */
export function waveDueAt(startAt: Date, gapMs: number, wave: number): Date {
  return new Date(startAt.getTime() + wave * gapMs);
}
