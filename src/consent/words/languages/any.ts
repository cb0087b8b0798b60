import type { Keywords } from './word-list';

/** The words that are understood in every language. YES is not one: it confirms appointments. */
export const ANY_LANGUAGE: Keywords = {
  out: ['stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out'],
  in: ['start', 'unstop'],
  help: ['help', 'info'],
};
