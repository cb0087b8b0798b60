import { groupBy } from '../common/group-by';
import type { DispatchGroup } from '../messages/batch.schema';
import type { SendEntry, SendOrder } from './send-order';
import { planWaves, waveDueAt } from './wave-plan';

/** One message of a send, before it is stored. */
export interface PlannedMessage {
  readonly recipient: string;
  readonly entry: SendEntry;
  readonly wave: number;
  /** Absent: at once. */
  readonly dueAt?: Date;
}

export interface SendPlan {
  readonly groups: DispatchGroup[];
  readonly estimatedCompletionAt?: Date;
  /** The messages in the order they are stored, made one at a time: a send of 10,000 is not held twice. */
  messages(): Generator<PlannedMessage>;
}

/** The groups a send falls into, by when they are due, in the order they were written. */
function groupEntries(order: SendOrder): SendEntry[][] {
  return [...groupBy(order.entries, ({ scheduledAt }) => scheduledAt?.getTime()).values()];
}

const recipientsOf = (entries: readonly SendEntry[]) =>
  entries.reduce((sum, { recipients }) => sum + recipients.length, 0);

/**
 * How long the phone is busy with the part of a send that is due now and large enough to be paced: the stretch
 * of its timeline to take before `planSend`. 0 when there is no such part.
 */
export function pacedNowMs(order: SendOrder, waveSize: number, delaySeconds: number): number {
  const count = recipientsOf(order.entries.filter(({ scheduledAt }) => !scheduledAt));
  return count > waveSize ? planWaves(count, waveSize, delaySeconds).durationMs : 0;
}

/**
 * Plans a send. A group of at most `waveSize` messages goes out at once when it is due. A larger one is cut into
 * waves: the one that is due now from `startAt`, its place on the phone's timeline; a scheduled one gets its place
 * when it becomes due, so that a campaign of next month blocks nobody today.
 */
export function planSend(
  order: SendOrder,
  waveSize: number,
  delaySeconds: number,
  startAt: Date | undefined,
): SendPlan {
  const entryGroups = groupEntries(order);
  const groups: DispatchGroup[] = [];
  let firstWave = 0;
  let completion: Date | undefined;
  for (const entries of entryGroups) {
    const count = recipientsOf(entries);
    const scheduledAt = entries[0]?.scheduledAt;
    const { sizes, gapMs, durationMs } = planWaves(count, waveSize, delaySeconds);
    const paced = sizes.length > 1;
    const placed = paced && !scheduledAt && startAt ? { startAt, gapMs, durationMs } : {};
    groups.push({
      ...(scheduledAt && { scheduledAt }),
      count,
      firstWave,
      waves: sizes.length,
      ...placed,
      planned: !(paced && scheduledAt),
    });
    if (paced) {
      const begin = scheduledAt ?? startAt;
      const end = begin && new Date(begin.getTime() + durationMs);
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
            yield { recipient, entry, wave: group.firstWave + wave, dueAt: dueAtOf(group, wave) };
          }
        }
      }
    },
  };
}

function dueAtOf(group: DispatchGroup, wave: number): Date | undefined {
  if (group.startAt && group.gapMs !== undefined) return waveDueAt(group.startAt, group.gapMs, wave);
  return group.scheduledAt;
}
