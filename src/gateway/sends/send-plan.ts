import { groupBy } from '../../common/group-by';
import type { DispatchGroup } from '../../messages/batch.schema';
import type { SendEntry, ValidatedSend } from './send-validation';
import { partsOf } from '../../messages/text/segments';
import {
  messageMs,
  type MessageRun,
  type PhonePace,
  planWaves,
  waveDueAt,
  type WaveLimits,
} from '../dispatch/wave-plan';

export interface PlannedMessage {
  readonly recipient: string;
  readonly entry: SendEntry;
  readonly wave: number;
  /** Absent: due immediately. */
  readonly dueAt?: Date;
}

export interface SendPlan {
  readonly groups: DispatchGroup[];
  readonly estimatedCompletionAt?: Date;
  /** The messages in insertion order; a generator, so that 10,000 of them are never in memory together. */
  messages(): Generator<PlannedMessage>;
}

function groupByDueTime({ entries }: ValidatedSend): SendEntry[][] {
  return [...groupBy(entries, ({ scheduledAt }) => scheduledAt?.getTime()).values()];
}

const runsOf = (entries: readonly SendEntry[], pace: PhonePace): MessageRun[] =>
  entries.map((entry) => ({
    count: entry.recipients.length,
    messageMs: messageMs(partsOf(entry), pace),
  }));

/**
 * The time to reserve on the phone's timeline for the messages that are due immediately.
 * @returns milliseconds; 0 if they fit into one wave.
 */
export function immediatePacedMs({ entries }: ValidatedSend, pace: PhonePace, limits: WaveLimits): number {
  const immediate = entries.filter(({ scheduledAt }) => !scheduledAt);
  const { sizes, durationMs } = planWaves(runsOf(immediate, pace), limits);
  return sizes.length > 1 ? durationMs : 0;
}

/**
 * Splits a send into groups by due time, and each group into waves. The waves of the immediate group start at `startAt`. A
 * scheduled group of several waves gets its start time when it becomes due, so that it does not delay other sends until
 * then.
 */
export function planSend(
  request: ValidatedSend,
  pace: PhonePace,
  limits: WaveLimits,
  startAt: Date | undefined,
): SendPlan {
  const plannedGroups: { entries: readonly SendEntry[]; group: DispatchGroup; sizes: readonly number[] }[] = [];
  let firstWave = 0;
  let completion: Date | undefined;
  for (const entries of groupByDueTime(request)) {
    const scheduledAt = entries[0]?.scheduledAt;
    const { sizes, gapMs, durationMs } = planWaves(runsOf(entries, pace), limits);
    const isPaced = sizes.length > 1;
    const group: DispatchGroup = {
      ...(scheduledAt && { scheduledAt }),
      count: sizes.reduce((sum, size) => sum + size, 0),
      firstWave,
      waves: sizes.length,
      ...(isPaced && { gapMs, durationMs }),
      ...(isPaced && !scheduledAt && startAt && { startAt }),
      planned: !(isPaced && scheduledAt),
    };
    plannedGroups.push({ entries, group, sizes });
    if (isPaced) {
      const start = scheduledAt ?? startAt;
      const end = start && new Date(start.getTime() + durationMs);
      if (end && (!completion || end > completion)) completion = end;
    }
    firstWave += sizes.length;
  }
  return {
    groups: plannedGroups.map(({ group }) => group),
    ...(completion && { estimatedCompletionAt: completion }),
    *messages() {
      for (const { entries, group, sizes } of plannedGroups) {
        let wave = 0;
        let placesLeft = sizes[0] ?? 0;
        for (const entry of entries) {
          for (const recipient of entry.recipients) {
            if (placesLeft === 0) placesLeft = sizes[++wave] ?? 0;
            placesLeft -= 1;
            yield { recipient, entry, wave: group.firstWave + wave, dueAt: dueAt(group, wave) };
          }
        }
      }
    },
  };
}

function dueAt(group: DispatchGroup, wave: number): Date | undefined {
  if (group.startAt && group.gapMs !== undefined) return waveDueAt(group.startAt, group.gapMs, wave);
  return group.scheduledAt;
}
