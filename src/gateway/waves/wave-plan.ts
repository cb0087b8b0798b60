import { DEFAULT_PARTS_PER_MINUTE, occupiedMs, paceOf } from '../../devices/pace/token-bucket';
import { sum } from '../../common/sum';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import type { DispatchConfig } from '../../config/sections/dispatch.config';
import type { Device } from '../../devices/store/device.schema';

const DEFAULT_SEND_DELAY_S = 1;

export type PhonePace = Pick<Device, 'smsSendDelaySeconds' | 'partsPerMinute'>;

export type WaveLimits = Pick<DispatchConfig, 'waveMs' | 'waveSize'>;

/** Equally long messages. */
export interface MessageRun {
  readonly count: number;
  /** SMS parts of each. */
  readonly parts: number;
  /** The time their lane takes for each. */
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
 * @param defaultDelayS seconds between messages if the phone has no delay, or a delay of 0.
 */
export function messageMs(
  parts: number,
  { smsSendDelaySeconds, partsPerMinute = DEFAULT_PARTS_PER_MINUTE }: PhonePace,
  defaultDelayS = DEFAULT_SEND_DELAY_S,
): number {
  const delayMs = (smsSendDelaySeconds || defaultDelayS) * 1_000;
  // Whole milliseconds, as times are stored.
  return partsPerMinute === null
    ? delayMs
    : Math.max(delayMs, Math.ceil(occupiedMs(paceOf(partsPerMinute), parts)));
}

/**
 * Splits messages that are due together into waves that follow each other as fast as their lane sends. They are one wave if
 * they are no more than `waveSize`, and their parts no more than the lane sends in a minute.
 * @param partsPerMinute of the lane; null: as many as it is handed.
 */
export function planWaves(
  runs: readonly MessageRun[],
  { waveMs, waveSize }: WaveLimits,
  partsPerMinute: number | null,
): WavePlan {
  const count = sum(runs, (run) => run.count);
  const durationMs = sum(runs, (run) => run.count * run.messageMs);
  const parts = sum(runs, (run) => run.count * run.parts);
  if (count === 1 || (count <= waveSize && parts <= (partsPerMinute ?? Infinity)))
    return { waves: [{ size: count, offsetMs: 0 }], durationMs };
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

/** How a wave waits for the pace of its phone; undefined if it is urgent. */
export function pacedAs({ groups, priority }: Pick<Batch, 'groups' | 'priority'>, wave: number) {
  if (priority === 'urgent') return undefined;
  const isOfSeveral = groups.some((group) => group.waves > 1 && isInGroup(group, wave));
  return isOfSeveral ? 'wave' : 'small-send';
}
