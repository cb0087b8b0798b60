import { emailOf } from '../start/sign-in-link';
import { PhoneUsbError } from './phone-usb-error';

export interface Service {
  readonly url: string;
  /** Undefined if only its address is known. */
  readonly apiKey: string | undefined;
}

export interface PairingCode {
  /** In groups, as a person reads it: `4839 201 756`. */
  readonly digits: string;
  /** The path that the app calls. */
  readonly path: string;
}

/** Runs an admin command. @returns its output; undefined if it fails. */
export type RunAdmin = (args: readonly string[]) => Promise<string | undefined>;

/**
 * Creates a code of the account that the service's key belongs to.
 * @returns undefined if that is not possible.
 * @throws PhoneUsbError if phones with the app are turned off.
 */
export async function createPairingCode(
  { url, apiKey }: Service,
  runAdmin: RunAdmin,
): Promise<PairingCode | undefined> {
  const email = apiKey === undefined ? undefined : await emailOf(url, apiKey);
  if (email === undefined) return undefined;
  const [code = '', ...addresses] = (await runAdmin(['pairing', 'code', email]))?.trim().split('\n') ?? [];
  const groups = /^(\d{4})(\d{3})(\d{3})$/.exec(code)?.slice(1);
  if (!groups) return undefined;
  const [address] = addresses.map((line) => line.split('\t')[0]);
  if (address === undefined) {
    throw new PhoneUsbError(
      'the service does not answer phones with this app: remove SMSGATE_PATH=off from .env and restart it',
    );
  }
  return { digits: groups.join(' '), path: new URL(address).pathname };
}
