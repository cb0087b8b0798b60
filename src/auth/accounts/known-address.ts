import { DAY_MS } from '../../common/durations';
import type { Account } from './account.schema';

const KNOWN_ADDRESS_TTL_MS = 90 * DAY_MS;
const REFRESH_INTERVAL_MS = DAY_MS;

type WithKnownAddresses = Pick<Account, 'knownAddresses'>;

const wasSeen = (account: WithKnownAddresses | null, address: string, since: number): boolean =>
  account?.knownAddresses?.some((known) => known.address === address && known.at.getTime() > since) ?? false;

/** Whether the account was signed in to from this address within 90 days. */
export const isKnownAddress = (account: WithKnownAddresses | null, address: string, now: Date): boolean =>
  wasSeen(account, address, now.getTime() - KNOWN_ADDRESS_TTL_MS);

/** Whether to record the address of a sign-in: it was not recorded within a day. */
export const shouldRecordAddress = (account: WithKnownAddresses, address: string, now: Date): boolean =>
  !wasSeen(account, address, now.getTime() - REFRESH_INTERVAL_MS);
