/** Operations that let a caller guess a secret or send e-mails. */
export type AuthAttemptKind =
  | 'login'
  | 'login-from-known-address'
  | 'password-reset'
  | 'email-verification'
  | 'mail'
  | 'mail-from-known-address'
  | 'registration'
  | 'pairing'
  | 'queue-page';

export const AUTH_ATTEMPT_WINDOW_S = 15 * 60;

/**
 * Attempts per window. `pair`: one address on one account. `account`: all addresses on one account, high, because these
 * attempts lock the owner out too. `address`: one address on many accounts, high, because an office shares an address.
 */
export const AUTH_ATTEMPT_LIMITS: Record<
  AuthAttemptKind,
  { pair: number; account: number; address: number }
> = {
  login: { pair: 10, account: 100, address: 200 },
  // Guesses from other addresses do not lock out an address that signed in before.
  'login-from-known-address': { pair: 10, account: Infinity, address: 200 },
  // The attempts at one code from all addresses are limited by OneTimeCodesService.
  'password-reset': { pair: 5, account: Infinity, address: 100 },
  'email-verification': { pair: 5, account: Infinity, address: 100 },
  mail: { pair: 5, account: 20, address: 100 },
  'mail-from-known-address': { pair: 5, account: Infinity, address: 100 },
  registration: { pair: 10, account: 50, address: 100 },
  // A pairing code names no account. The total of tries from all addresses only delays: PairingAttempts.
  pairing: { pair: Infinity, account: Infinity, address: 20 },
  // A browser sends the password with each of the files it loads concurrently, and each is counted until it succeeds. The
  // page has one account, and a limit on it would lock the operator out.
  'queue-page': { pair: 30, account: Infinity, address: 30 },
};
