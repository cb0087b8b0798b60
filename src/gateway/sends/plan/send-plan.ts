import { groupsOf } from '../../../common/group-by';
import type { DispatchGroup } from '../../../messages/batch.schema';
import { type MessageRun, planWaves, type Wave, type WaveLimits } from '../../waves/wave-plan';
import type { Assignment, Sender } from '../../senders/assignment';
import { type Lane, laneKey, laneMessageMs, laneOf, lanePartsPerMinute } from '../../senders/lane';
import type { SendEntry, ValidatedSend } from '../../send-input/send-validation';

/** A message of a send with its wave. */
export interface SendPlanMessage {
  readonly recipient: string;
  readonly entry: SendEntry;
  readonly sender: Sender;
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
  /** When the last lane is done with its waves; absent if no group has several. */
  readonly estimatedCompletionAt?: Date;
  /** The messages in insertion order; a generator, so that 10,000 of them are never in memory together. */
  messages(): Generator<SendPlanMessage>;
}

/** Messages of one lane that are due together. */
export interface LaneGroup {
  readonly lane: Lane;
  readonly scheduledAt?: Date;
  readonly firstWave: number;
  readonly waves: readonly Wave[];
  readonly durationMs: number;
}

/** A send, split into waves whose times are not known yet. */
export interface SplitSend {
  readonly assignment: Assignment;
  /** Its groups reserve no time, so they store no `durationMs`, which a cancellation would release, but `gapMs`. */
  readonly isUrgent: boolean;
  readonly dueGroups: readonly DueGroup[];
}

/** Entries that are due together. */
interface DueGroup {
  readonly entries: readonly SendEntry[];
  readonly lanes: ReadonlyMap<string, LaneGroup>;
}

/** Splits a send into groups by due time and lane, and each group into waves. */
export function splitSend(
  { entries, priority }: ValidatedSend,
  assignment: Assignment,
  limits: WaveLimits,
): SplitSend {
  let firstWave = 0;
  const byDueTime = groupsOf(entries, ({ scheduledAt }) => scheduledAt?.getTime());
  const dueGroups = byDueTime.map((dueTogether): DueGroup => {
    const [{ scheduledAt }] = dueTogether;
    const lanes = new Map<string, LaneGroup>();
    for (const [key, { lane, partsPerMinute, runs }] of runsByLane(dueTogether, assignment)) {
      const { waves, durationMs } = planWaves(runs, limits, partsPerMinute);
      lanes.set(key, { lane, ...(scheduledAt && { scheduledAt }), firstWave, waves, durationMs });
      firstWave += waves.length;
    }
    return { entries: dueTogether, lanes };
  });
  return { assignment, isUrgent: priority === 'urgent', dueGroups };
}

/** The groups that need a slot on the timeline of their lane now: those due immediately that do not fit into one wave. */
export const slotsOf = ({ dueGroups }: SplitSend): LaneGroup[] =>
  dueGroups
    .flatMap(({ lanes }) => [...lanes.values()])
    .filter((group) => !group.scheduledAt && hasSeveralWaves(group));

/**
 * Sets the times of the waves. A scheduled group of several waves gets its start time when it becomes due, so that it does not
 * delay other sends until then.
 * @param starts the start of each slot, and when the other lanes are free, by the key of the lane.
 */
export function planSend(split: SplitSend, starts: ReadonlyMap<string, Date>): SendPlan {
  const { assignment, isUrgent, dueGroups } = split;
  const toGroup = (group: LaneGroup): DispatchGroup => {
    const { lane, scheduledAt, firstWave, waves, durationMs } = group;
    const startAt = scheduledAt ? undefined : starts.get(laneKey(lane));
    const isInWaves = hasSeveralWaves(group);
    return {
      ...(scheduledAt && { scheduledAt }),
      count: waves.reduce((sum, { size }) => sum + size, 0),
      firstWave,
      waves: waves.length,
      ...(isInWaves && (isUrgent ? { gapMs: Math.ceil(durationMs / waves.length) } : { durationMs })),
      ...(isInWaves && startAt && { startAt }),
      ...(assignment.pool && lane),
      planned: !(isInWaves && scheduledAt),
    };
  };
  const withGroups = dueGroups.map(({ entries, lanes }) => ({
    entries,
    lanes: new Map(
      [...lanes].map(([key, { waves, ...rest }]) => [key, { group: toGroup({ waves, ...rest }), waves }]),
    ),
  }));
  const groups = withGroups.flatMap(({ lanes }) => [...lanes.values()].map(({ group }) => group));
  const ends = [...groupEnds(split, starts)].flatMap(([group, end]) => (hasSeveralWaves(group) ? end : []));
  return {
    groups,
    ...(ends.length > 0 && { estimatedCompletionAt: new Date(Math.max(...ends)) }),
    *messages() {
      for (const each of withGroups) yield* messagesOf(assignment, each);
    },
  };
}

/**
 * When each lane is done, by its key.
 * @param starts as for `planSend`, of all lanes.
 * @param now when messages leave that are due immediately and fit into one wave.
 */
export function laneEnds(split: SplitSend, starts: ReadonlyMap<string, Date>, now: Date): Map<string, Date> {
  const ends = new Map<string, Date>();
  for (const [{ lane }, end] of groupEnds(split, starts, now)) {
    const latest = ends.get(laneKey(lane));
    if (!latest || end > latest.getTime()) ends.set(laneKey(lane), new Date(end));
  }
  return ends;
}

/**
 * When each group is done, in milliseconds since 1970. One of several waves starts when it is due and its lane is done with
 * the large groups before; if it is urgent, or a single wave, when it is due.
 */
function groupEnds(
  { dueGroups, isUrgent }: SplitSend,
  starts: ReadonlyMap<string, Date>,
  now = new Date(0),
): Map<LaneGroup, number> {
  const ends = new Map<LaneGroup, number>();
  const freeAt = new Map([...starts].map(([key, start]) => [key, start.getTime()]));
  const inOrder = dueGroups
    .flatMap(({ lanes }) => [...lanes])
    .sort(([, one], [, other]) => dueTimeOf(one) - dueTimeOf(other));
  for (const [key, group] of inOrder) {
    const dueAt = Math.max(dueTimeOf(group), now.getTime());
    const isQueued = hasSeveralWaves(group) && !(isUrgent && group.scheduledAt);
    const end = (isQueued ? Math.max(dueAt, freeAt.get(key) ?? 0) : dueAt) + group.durationMs;
    ends.set(group, end);
    if (isQueued && !isUrgent) freeAt.set(key, end);
  }
  return ends;
}

const dueTimeOf = ({ scheduledAt }: LaneGroup): number => scheduledAt?.getTime() ?? 0;

const hasSeveralWaves = ({ waves }: LaneGroup): boolean => waves.length > 1;

interface LaneRuns {
  readonly lane: Lane;
  readonly partsPerMinute: number | null;
  readonly runs: MessageRun[];
}

/** The lanes in the order of their first message. */
function runsByLane(entries: readonly SendEntry[], assignment: Assignment): Map<string, LaneRuns> {
  const keyOf = laneKeys(assignment);
  const byLane = new Map<string, LaneRuns>();
  const add = (sender: Sender, count: number, parts: number) => {
    const key = keyOf(sender);
    const { runs } =
      byLane.get(key) ??
      setIn(byLane, key, { lane: laneOf(sender), partsPerMinute: lanePartsPerMinute(sender), runs: [] });
    const last = runs.at(-1);
    if (last?.parts === parts) runs[runs.length - 1] = { ...last, count: last.count + count };
    else runs.push({ count, parts, messageMs: laneMessageMs(parts, sender) });
  };
  const [only, ...others] = assignment.senders;
  for (const entry of entries) {
    const { recipients, parts } = entry;
    if (only && others.length === 0) add(only, recipients.length, parts);
    else for (const index of recipients.keys()) add(assignment.senderOf(entry, index), 1, parts);
  }
  return byLane;
}

function setIn<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}

/** @returns the key of the lane of a sender. */
function laneKeys({ senders }: Assignment): (sender: Sender) => string {
  const keys = new Map(senders.map((sender) => [sender, laneKey(laneOf(sender))]));
  return (sender) => keys.get(sender) ?? laneKey(laneOf(sender));
}

interface GroupWithWaves {
  readonly group: DispatchGroup;
  readonly waves: readonly Wave[];
}

type Place = Pick<SendPlanMessage, 'wave' | 'dueAt' | 'groupStart' | 'waveOffsetMs'>;

function* messagesOf(
  assignment: Assignment,
  { entries, lanes }: Pick<DueGroup, 'entries'> & { readonly lanes: ReadonlyMap<string, GroupWithWaves> },
): Generator<SendPlanMessage> {
  const keyOf = laneKeys(assignment);
  const places = new Map([...lanes].map(([key, group]) => [key, placesOf(group)]));
  for (const entry of entries) {
    for (const [index, recipient] of entry.recipients.entries()) {
      const sender = assignment.senderOf(entry, index);
      const place = places.get(keyOf(sender))?.next();
      if (!place || place.done) throw new Error(`The waves have no place for message ${index} of an entry`);
      yield { entry, recipient, sender, ...place.value };
    }
  }
}

/** The places of the messages of a group, in their order. */
function* placesOf({ group, waves }: GroupWithWaves): Generator<Place, undefined> {
  const { startAt, scheduledAt, firstWave, planned } = group;
  const groupStart = waves.length > 1 ? (startAt ?? scheduledAt) : undefined;
  for (const [index, { size, offsetMs }] of waves.entries()) {
    const dueAt = startAt ? new Date(startAt.getTime() + offsetMs) : scheduledAt;
    const place = {
      wave: firstWave + index,
      ...(dueAt && { dueAt }),
      ...(groupStart && { groupStart }),
      ...(!planned && { waveOffsetMs: offsetMs }),
    };
    for (let message = 0; message < size; message++) yield place;
  }
  return undefined;
}
