import { DEFAULT_PARTS_PER_MINUTE } from '../../devices/sims/limits/token-bucket';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import type { DispatchConfig } from '../../config/sections/dispatch.config';
import type { Device } from '../../devices/device.schema';

const DEFAULT_SEND_DELAY_S = 1;

export type PhonePace = Pick<Device, 'smsSendDelaySeconds' | 'partsPerMinute'>;

/** Up to `waveSize` messages that are due together are one wave, however long they take. */
export type WaveLimits = Pick<DispatchConfig, 'waveMs' | 'waveSize'>;

/** Messages that take their lane equally long. */
export interface MessageRun {
  readonly count: number;
  readonly messageMs: number;
}

export interface Wave {
  /** Number of messages. */
  readonly size: number;
  /** From the start of the group: the time its lane takes for the waves before. */
  readonly offsetMs: number;
}

export interface WavePlan {
  readonly waves: readonly Wave[];
  readonly durationMs: number;
}

/**
 * The time a phone takes for a message of this many parts.
 * @param defaultDelayS seconds between messages if the phone has no delay, or 0.
 */
export function messageMs(
  parts: number,
  { smsSendDelaySeconds, partsPerMinute = DEFAULT_PARTS_PER_MINUTE }: PhonePace,
  defaultDelayS = DEFAULT_SEND_DELAY_S,
): number {
  const delayMs = (smsSendDelaySeconds || defaultDelayS) * 1_000;
  // Whole milliseconds, as times are stored.
  return partsPerMinute === null ? delayMs : Math.max(delayMs, Math.ceil((parts * 60_000) / partsPerMinute));
}

/** Splits messages that are due together into waves that follow each other as fast as their lane sends. */
export function planWaves(runs: readonly MessageRun[], { waveMs, waveSize }: WaveLimits): WavePlan {
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  const durationMs = runs.reduce((sum, run) => sum + run.count * run.messageMs, 0);
  if (count <= waveSize) return { waves: [{ size: count, offsetMs: 0 }], durationMs };
  const waves: Wave[] = [];
  let size = 0;
  let offsetMs = 0;
  let usedMs = 0;
  const endWave = () => {
    waves.push({ size, offsetMs });
    offsetMs += usedMs;
    size = usedMs = 0;
  };
  for (const run of runs) {
    for (let message = 0; message < run.count; message++) {
      if (size > 0 && (size === waveSize || usedMs + run.messageMs > waveMs)) endWave();
      size += 1;
      usedMs += run.messageMs;
    }
  }
  endWave();
  return { waves, durationMs };
}

/** @param wave the wave's number within its batch. */
export function isInGroup({ firstWave, waves }: DispatchGroup, wave: number): boolean {
  return wave >= firstWave && wave < firstWave + waves;
}

/** Whether the messages of a wave are due at their final times. */
export const isPlanned = ({ groups }: Pick<Batch, 'groups'>, wave: number): boolean =>
  groups.every((group) => group.planned || !isInGroup(group, wave));

/** Whether a wave waits for the pace of its phone: it is one of several of its group, and not urgent. */
export function isPacedWave({ groups, priority }: Pick<Batch, 'groups' | 'priority'>, wave: number): boolean {
  return priority !== 'urgent' && groups.some((group) => group.waves > 1 && isInGroup(group, wave));
}
