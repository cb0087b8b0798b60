import { createHash } from 'node:crypto';
import type { HealthSummary } from '../health/sim-health';
import type { WaitReason } from '../../states/wait-reasons';

export const POOL_STRATEGIES = ['sticky', 'round-robin', 'least-loaded'] as const;
export type PoolStrategy = (typeof POOL_STRATEGIES)[number];

export interface Candidate {
  readonly id: string;
  /** Whether the SIM and its phone are enabled, and the phone is not being drained. */
  readonly isEnabled: boolean;
  /** Whether its phone is reachable. */
  readonly isReachable: boolean;
  /** Whether the pool lets it send to the country of the recipient. */
  readonly servesRecipient: boolean;
  /** When its limits let the message leave; in the past if at once. */
  readonly allowedAt: Date;
  /** Messages that its limits still allow in their periods; Infinity without limits. */
  readonly room: number;
  readonly health: Pick<HealthSummary, 'state' | 'failureRate' | 'canaryDueAt'>;
  /** How many it can send, so that SIMs finish a send at about the same time. */
  readonly messagesPerMinute: number;
  /** When it would have sent the message, with what it still has to send; in the past if it is idle. */
  readonly doneAt: Date;
}

export interface PoolMessage {
  /** Key of the recipient: its number, or a hash of it. */
  readonly recipient: string;
  /** Id of the SIM that the recipient last heard from. */
  readonly previousSim?: string;
  /** Urgent, and the only one of its send. */
  readonly isSingleUrgent: boolean;
}

export interface PoolStrategyState {
  readonly strategy: PoolStrategy;
  /** Of round-robin: how many messages were chosen for so far. */
  readonly turn: number;
}

export const CHOICE_REASONS = [
  'only_sim',
  'sticky',
  'urgent',
  'round_robin',
  'least_loaded',
  'spread',
] as const;
export type ChoiceReason = (typeof CHOICE_REASONS)[number];

/** Why a SIM cannot take the message, in the order in which this is checked. */
export const REJECTION_REASONS = ['disabled', 'unreachable', 'country', 'limits', 'unhealthy'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Why no SIM can take the message. */
export const NO_CHOICE_REASONS = [...REJECTION_REASONS, 'empty_pool'] as const;

/** What the message waits for then; the reason of a limit is known by its usage. */
export const NO_CHOICE_WAITS = {
  disabled: 'sim_disabled',
  unreachable: 'phone_unreachable',
  country: 'no_sim_for_country',
  unhealthy: 'sim_unhealthy',
  empty_pool: 'pool_empty',
} as const satisfies Record<Exclude<(typeof NO_CHOICE_REASONS)[number], 'limits'>, WaitReason>;

export interface Rejection {
  readonly sim: string;
  readonly reason: RejectionReason;
  /** When the reason ends; absent if that is not known. */
  readonly until?: Date;
}

export type SimChoice<Sim extends Candidate> = {
  /** The number of SIMs that could take the message. */
  readonly eligible: number;
  readonly rejections: readonly Rejection[];
} & (
  | { readonly sim: Sim; readonly reason: ChoiceReason }
  | { readonly sim?: undefined; readonly reason: RejectionReason | 'empty_pool'; readonly until?: Date }
);

/** Of SIMs with more room than this, none is preferred. */
const FULL_ROOM = 1_000;

/**
 * Chooses the SIM of a pool for a message, or none. Of several that can take it:
 * 1. the SIM that the recipient last heard from, if it is healthy and the strategy is sticky;
 * 2. for a single urgent message, the one that is done first;
 * 3. the one by strategy; sticky spreads recipients by health, room and pace, and a change of one SIM moves recipients only
 *    from it or to it.
 *
 * A half-open SIM takes the message as its canary: claim it before sending. It takes single urgent messages only if no healthy
 * SIM can.
 */
export function chooseSim<Sim extends Candidate>(
  candidates: readonly Sim[],
  message: PoolMessage,
  { strategy, turn }: PoolStrategyState,
  now: Date,
): SimChoice<Sim> {
  const rejections: Rejection[] = [];
  const able: Sim[] = [];
  for (const candidate of candidates) {
    const rejection = rejectionOf(candidate, now);
    if (rejection) rejections.push(rejection);
    else able.push(candidate);
  }
  const facts = { eligible: able.length, rejections };
  const healthy = able.filter(({ health }) => health.state === 'closed');
  const eligible = message.isSingleUrgent && healthy.length > 0 ? healthy : able;
  const choose = (sim: Sim, reason: ChoiceReason): SimChoice<Sim> => ({ ...facts, sim, reason });

  const [first, ...others] = eligible;
  if (!first) return { ...facts, ...closestTo(rejections) };
  if (others.length === 0) return choose(first, 'only_sim');

  const previous = healthy.find(({ id }) => id === message.previousSim);
  if (strategy === 'sticky' && previous) return choose(previous, 'sticky');

  const digest = createHash('sha256').update(message.recipient).digest();
  const score = (sim: Sim) => rendezvousScore(sim, digest);
  const doneFirst = () =>
    best(eligible, (sim) => [-Math.max(sim.doneAt.getTime(), now.getTime()), score(sim)]) ?? first;
  if (message.isSingleUrgent) return choose(doneFirst(), 'urgent');
  switch (strategy) {
    case 'round-robin': {
      const inOrder = eligible.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return choose(inOrder[turn % inOrder.length] ?? first, 'round_robin');
    }
    case 'least-loaded':
      return choose(doneFirst(), 'least_loaded');
    case 'sticky':
      return choose(best(eligible, (sim) => [score(sim)]) ?? first, 'spread');
  }
}

export const canTake = (candidate: Candidate, now: Date): boolean =>
  rejectionOf(candidate, now) === undefined;

function rejectionOf(candidate: Candidate, now: Date): Rejection | undefined {
  const { id: sim, isEnabled, isReachable, servesRecipient, allowedAt, health } = candidate;
  if (!isEnabled) return { sim, reason: 'disabled' };
  if (!isReachable) return { sim, reason: 'unreachable' };
  if (!servesRecipient) return { sim, reason: 'country' };
  if (allowedAt > now) return { sim, reason: 'limits', until: allowedAt };
  const { state, canaryDueAt } = health;
  const mayTake = state === 'closed' || (canaryDueAt !== undefined && canaryDueAt <= now);
  return mayTake ? undefined : { sim, reason: 'unhealthy', until: canaryDueAt };
}

/** The rejection that ends first; of those without a known end, the one that was checked last. */
function closestTo(rejections: readonly Rejection[]): {
  reason: RejectionReason | 'empty_pool';
  until?: Date;
} {
  const closest = best(rejections, ({ reason, until }) => [
    -(until?.getTime() ?? Infinity),
    REJECTION_REASONS.indexOf(reason),
  ]);
  if (!closest) return { reason: 'empty_pool' };
  const { reason, until } = closest;
  return { reason, ...(until && { until }) };
}

/**
 * Weighted rendezvous hashing: among SIMs with these scores, each wins a share of the recipients in proportion to its weight,
 * and a change of one SIM moves recipients only from it or to it.
 */
function rendezvousScore(
  { id, health, room, messagesPerMinute }: Candidate,
  recipientDigest: Buffer,
): number {
  const weight = (1 - health.failureRate) * Math.max(1, Math.min(room, FULL_ROOM)) * messagesPerMinute;
  return -weight / Math.log(uniform(id, recipientDigest));
}

/** A number between 0 and 1 that depends on both. No cryptographic hash for each pair, because a pool has up to 100 SIMs. */
function uniform(id: string, digest: Buffer): number {
  let key = 0x811c9dc5;
  // FNV-1a.
  for (let index = 0; index < id.length; index++) key = Math.imul(key ^ id.charCodeAt(index), 0x01000193);
  const high = mix(digest.readUInt32LE(0) ^ mix(key));
  const low = mix(digest.readUInt32LE(4) ^ mix(key ^ high)) >>> 12;
  return (high * 2 ** 20 + low + 0.5) / 2 ** 52;
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The item with the highest rank; ranks are compared number by number. */
function best<T>(items: readonly T[], rankOf: (item: T) => readonly number[]): T | undefined {
  const [first, ...others] = items.map((item) => ({ item, rank: rankOf(item) }));
  if (!first) return undefined;
  return others.reduce((winner, each) => (isHigher(each.rank, winner.rank) ? each : winner), first).item;
}

function isHigher(rank: readonly number[], other: readonly number[]): boolean {
  const index = rank.findIndex((value, position) => value !== other[position]);
  return index >= 0 && (rank[index] ?? 0) > (other[index] ?? 0);
}
