import { DAY_MS } from '../../common/durations';
import type { Batch } from '../../messages/batch.schema';
import { ALL_TOPICS } from '../records/consent-record.schema';
import type { Suppression } from './suppression.schema';

/** A block that nobody has decided on counts as `out` after this time. */
const HELD_MS = 7 * DAY_MS;

/** What a send declares of itself. */
export type DeclaredSend = Pick<Batch, 'purpose' | 'topic'>;

type Block = Pick<Suppression, 'state' | 'heldAt' | 'at'>;

/** Blocks that were held before this time count as `out`. */
export const heldUntil = (now: Date): Date => new Date(now.getTime() - HELD_MS);

/** When a held block counts as `out`. */
export const outAt = ({ heldAt, at }: Pick<Suppression, 'heldAt' | 'at'>): Date =>
  new Date((heldAt ?? at).getTime() + HELD_MS);

/** @returns undefined if it is lifted. */
export function currentState({ state, heldAt, at }: Block, now: Date): 'out' | 'held' | undefined {
  if (state === 'held') return outAt({ heldAt, at }) <= now ? 'out' : 'held';
  return state === 'out' ? state : undefined;
}

/** Whether it records that the person has lifted all blocks of the number; the owner lifts one at a time. */
export const isLiftedByPerson = ({ topic, state, source }: Suppression): boolean =>
  topic === ALL_TOPICS && state === 'lifted' && source === 'keyword';

/**
 * The block that stops a send to a number: an `out` stops all that is not declared transactional, or everything, and a `held` what is
 * declared marketing. One that is limited to a topic stops sends that declare this topic. None stops an automatic reply to STOP, START or HELP.
 * @param blocks all of the number, lifted ones included.
 * @returns undefined if none does.
 */
export function findStopping(
  blocks: readonly Suppression[],
  { purpose, topic }: DeclaredSend,
  now: Date,
): Suppression | undefined {
  if (purpose === 'consent') return undefined;
  const lifted = blocks.find(isLiftedByPerson);
  return blocks.find((block) => {
    const state = currentState(block, now);
    // A text that lifts all topics and was received later than that of the block may have been uploaded earlier.
    if (!state || (lifted && lifted.at > block.at)) return false;
    if (block.topic !== ALL_TOPICS && block.topic !== topic) return false;
    if (state === 'held') return purpose === 'marketing';
    return block.covers === 'everything' || purpose !== 'transactional';
  });
}
