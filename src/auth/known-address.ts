import type { Account } from './account.schema';

const KNOWN_FOR_MS = 90 * 24 * 3_600_000;
/** An address that was noted within this time is not noted again. */
const NOTED_EVERY_MS = 24 * 3_600_000;

type WithKnownAddresses = Pick<Account, 'knownAddresses'>;

const wasNoted = (account: WithKnownAddresses | null, address: string, since: number): boolean =>
  account?.knownAddresses?.some((known) => known.address === address && known.at.getTime() > since) ?? false;

/** Whether a person signed in to the account from this address within 90 days. */
export const isKnownAddress = (account: WithKnownAddresses | null, address: string, now: Date): boolean =>
  wasNoted(account, address, now.getTime() - KNOWN_FOR_MS);

/** Whether an address that a person signs in from is to be written down. */
export const isWorthNoting = (account: WithKnownAddresses, address: string, now: Date): boolean =>
  !wasNoted(account, address, now.getTime() - NOTED_EVERY_MS);
