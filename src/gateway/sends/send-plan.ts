import { groupBy } from '../../common/group-by';
import type { DispatchGroup } from '../../messages/batch.schema';
import type { SendEntry, ValidatedSend } from './send-validation';
import { partsOf } from '../../messages/text/segments';
import {
  messageMs,
  type MessageRun,
  type PhonePace,
  planWaves,
  type Wave,
  type WaveLimits,
} from '../dispatch/wave-plan';

export interface PlannedMessage {
  readonly recipient: string;
  readonly entry: SendEntry;
  readonly wave: number;
  /** Of the wave, within a scheduled group of several waves; see `Message.waveOffsetMs`. */
  readonly waveOffsetMs?: number;
  /** Absent: due immediately. */
  readonly dueAt?: Date;
  /** When its group starts, if that has several waves. */
  readonly groupStart?: Date;
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
  const { waves, durationMs } = planWaves(runsOf(immediate, pace), limits);
  return waves.length > 1 ? durationMs : 0;
}

/**
 * Splits a send into groups by due time, and each group into waves. The waves of the immediate group start at `startAt`. A
 * scheduled group of several waves gets its start time when it becomes due, so that it does not delay other sends until
 * then. Groups of an urgent send reserve no time, and have no duration.
 */
export function planSend(
  request: ValidatedSend,
  pace: PhonePace,
  limits: WaveLimits,
  startAt: Date | undefined,
): SendPlan {
  const plannedGroups: PlannedGroup[] = [];
  let firstWave = 0;
  let completion: Date | undefined;
  for (const entries of groupByDueTime(request)) {
    const scheduledAt = entries[0]?.scheduledAt;
    const { waves, durationMs } = planWaves(runsOf(entries, pace), limits);
    const isPaced = waves.length > 1;
    const group: DispatchGroup = {
      ...(scheduledAt && { scheduledAt }),
      count: waves.reduce((sum, { size }) => sum + size, 0),
      firstWave,
      waves: waves.length,
      ...(isPaced && request.priority !== 'urgent' && { durationMs }),
      ...(isPaced && !scheduledAt && startAt && { startAt }),
      planned: !(isPaced && scheduledAt),
    };
    plannedGroups.push({ entries, group, waves });
    if (isPaced) {
      const start = scheduledAt ?? startAt;
      const end = start && new Date(start.getTime() + durationMs);
      if (end && (!completion || end > completion)) completion = end;
    }
    firstWave += waves.length;
  }
  return {
    groups: plannedGroups.map(({ group }) => group),
    ...(completion && { estimatedCompletionAt: completion }),
    *messages() {
      for (const planned of plannedGroups) yield* messagesOf(planned);
    },
  };
}

interface PlannedGroup {
  readonly entries: readonly SendEntry[];
  readonly group: DispatchGroup;
  readonly waves: readonly Wave[];
}

function* messagesOf({ entries, group, waves }: PlannedGroup): Generator<PlannedMessage> {
  const pairs = entries.flatMap((entry) => entry.recipients.map((recipient) => ({ entry, recipient })));
  const { startAt, scheduledAt, firstWave } = group;
  const groupStart = waves.length > 1 ? (startAt ?? scheduledAt) : undefined;
  let position = 0;
  for (const [index, { size, offsetMs }] of waves.entries()) {
    const dueAt = startAt ? new Date(startAt.getTime() + offsetMs) : scheduledAt;
    const wave = firstWave + index;
    const place = {
      wave,
      ...(dueAt && { dueAt }),
      ...(groupStart && { groupStart }),
      ...(!group.planned && { waveOffsetMs: offsetMs }),
    };
    for (const pair of pairs.slice(position, (position += size))) yield { ...pair, ...place };
  }
}
