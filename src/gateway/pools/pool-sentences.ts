import type { ChoiceReason, Rejection, SimChoice } from '../../devices/sims/pools/choose-sim';
import type { PoolMember } from './pool-sim';
import type { PoolCandidate } from './pool-view';

const CHOSEN: Record<ChoiceReason, string> = {
  only_sim: 'It is the only SIM of the pool that can send the message now',
  sticky: 'The recipient last heard from it',
  urgent: 'It is the first to have sent an urgent message',
  round_robin: 'It is its turn',
  least_loaded: 'It is the first to have sent the message, with what it still has to send',
  spread: 'It was chosen for the recipient by the health, the room and the pace of the SIMs',
};

const at = (time: Date) => time.toISOString();

/** Why a SIM of a pool is chosen, or why none can be, as a sentence. */
export function choiceSentence(choice: SimChoice<PoolCandidate>): string {
  if (choice.sim) return CHOSEN[choice.reason];
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
