import { capitalize } from '../../common/capitalize';
import type { ChoiceReason, Rejection, SimChoice } from '../../devices/sims/pools/choose-sim';
import type { PoolMember } from '../senders/pool-sim';
import type { PoolCandidate } from '../senders/pool-view';

/** Why a pool chose a SIM; completes "because …". */
export const CHOICES = {
  only_sim: 'it was the only SIM of the pool that could take the message',
  sticky: 'the recipient last heard from it',
  urgent: 'it could send the urgent message first',
  round_robin: 'it was its turn',
  least_loaded: 'it could send the message first, with what it still had to send',
  spread: 'the pool spreads recipients over its SIMs by their health, room and pace',
} as const satisfies Record<ChoiceReason, string>;

const at = (time: Date) => time.toISOString();

/** Why a SIM of a pool is chosen, or why none can be, as a sentence. */
export function choiceSentence(choice: SimChoice<PoolCandidate>): string {
  if (choice.sim) return capitalize(CHOICES[choice.reason]);
  if (choice.reason === 'empty_pool') return 'The pool has no SIM';
  const { until } = choice;
  return `No SIM of the pool can send the message now${until ? `; the first can at ${at(until)}` : ''}`;
}

/** Why a SIM of a pool cannot send a message, as a sentence. */
export function rejectionSentence({ reason, until }: Rejection, { sim, device }: PoolMember): string {
  switch (reason) {
    case 'disabled':
      if (!sim.enabled) return 'The SIM is disabled';
      return device?.enabled === false ? 'Its device is disabled' : 'Its device takes no new messages';
    case 'unreachable':
      return device ? 'Its device is not online' : 'The SIM is in no device';
    case 'country':
      return 'The pool has other SIMs for the country of the recipient';
    case 'limits':
      return `Its limits are reached${until ? ` until ${at(until)}` : ''}`;
    case 'unhealthy':
      return `Its messages fail or are not delivered${until ? `; it is tried again at ${at(until)}` : '; it is being tried'}`;
  }
}
