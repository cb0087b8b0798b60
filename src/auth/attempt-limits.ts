/** What can be guessed at, or asked for too often. */
export type AttemptKind =
  | 'login'
  | 'login-from-known-address'
  | 'password-reset'
  | 'email-verification'
  | 'mail'
  | 'mail-from-known-address'
  | 'registration'
  | 'queue-page';

export const ATTEMPT_WINDOW_S = 15 * 60;

/**
 * Attempts in one window. By account and address: one person guessing. By account: many addresses guessing at one
 * account; high, because whoever guesses also locks the owner out. By address: one address trying many accounts;
 * high, because an office shares one.
 */
export const ATTEMPT_LIMITS: Record<AttemptKind, { pair: number; account: number; address: number }> = {
  login: { pair: 10, account: 100, address: 200 },
  // Guesses from other addresses do not lock out an address that has signed in before.
  'login-from-known-address': { pair: 10, account: Infinity, address: 200 },
  // Five tries of a code for each address. Its tries in all are bounded with the code itself, so that wrong codes from
  // elsewhere do not use up the owner's.
  'password-reset': { pair: 5, account: Infinity, address: 100 },
  'email-verification': { pair: 5, account: Infinity, address: 100 },
  // Each is a mail in somebody's mailbox.
  mail: { pair: 5, account: 20, address: 100 },
  'mail-from-known-address': { pair: 5, account: Infinity, address: 100 },
  registration: { pair: 10, account: 50, address: 100 },
  // A browser shows the password with every file it loads, several at once; each is taken back, but counted first. There
  // is one account, whose password nobody has guessed within 200 attempts: a limit would lock the operator out.
  'queue-page': { pair: 30, account: Infinity, address: 30 },
};
