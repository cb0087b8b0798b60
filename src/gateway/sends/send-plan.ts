import { groupBy } from '../../common/group-by';
import type { DispatchGroup } from '../../messages/batch.schema';
import type { SendEntry, ValidatedSend } from './send-validation';
import { planWaves, waveDueAt } from '../dispatch/wave-plan';

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

const countRecipients = (entries: readonly SendEntry[]) =>
  entries.reduce((sum, { recipients }) => sum + recipients.length, 0);

/**
 * The time to reserve on the phone's timeline for the messages that are due immediately.
 * @returns milliseconds; 0 if they fit into one wave.
 */
export function immediatePacedMs({ entries }: ValidatedSend, waveSize: number, delaySeconds: number): number {
  const count = countRecipients(entries.filter(({ scheduledAt }) => !scheduledAt));
  return count > waveSize ? planWaves(count, waveSize, delaySeconds).durationMs : 0;
}

/**
 * Splits a send into groups by due time, and each group into waves of at most `waveSize` messages. The waves of the
 * immediate group start at `startAt`. A scheduled group of several waves gets its start time when it becomes due, so
 * that it does not delay other sends until then.
 */
export function planSend(
  request: ValidatedSend,
  waveSize: number,
  delaySeconds: number,
  startAt: Date | undefined,
): SendPlan {
  const entryGroups = groupByDueTime(request);
  const groups: DispatchGroup[] = [];
  let firstWave = 0;
  let completion: Date | undefined;
  for (const entries of entryGroups) {
    const count = countRecipients(entries);
    const scheduledAt = entries[0]?.scheduledAt;
    const { sizes, gapMs, durationMs } = planWaves(count, waveSize, delaySeconds);
    const paced = sizes.length > 1;
    const timing = paced && !scheduledAt && startAt ? { startAt, gapMs, durationMs } : {};
    groups.push({
      ...(scheduledAt && { scheduledAt }),
      count,
      firstWave,
      waves: sizes.length,
      ...timing,
      planned: !(paced && scheduledAt),
    });
    if (paced) {
      const start = scheduledAt ?? startAt;
      const end = start && new Date(start.getTime() + durationMs);
      if (end && (!completion || end > completion)) completion = end;
    }
    firstWave += sizes.length;
  }
  return {
    groups,
    ...(completion && { estimatedCompletionAt: completion }),
    *messages() {
      for (const [index, entries] of entryGroups.entries()) {
        const group = groups[index];
        if (!group) continue;
        let position = 0;
        for (const entry of entries) {
          for (const recipient of entry.recipients) {
            const wave = Math.floor(position++ / waveSize);
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
