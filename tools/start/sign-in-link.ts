import { readVariable } from './addresses';

const SIGN_IN_PATH = '/sign-in#';

/**
 * Whether the sign-in link may be printed: a terminal forgets it, a log does not.
 * @param isTerminal whether the output goes to a terminal.
 */
export function mayPrintLink(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): boolean {
  return readVariable(env, 'DASHBOARD') !== 'false' && mayPrintSecrets(env, isTerminal);
}

/** Whether what is valid for ten minutes may be printed. */
export function mayPrintSecrets(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): boolean {
  return isTerminal === true || readVariable(env, 'PRINT_SIGN_IN_LINK') === 'true';
}

/** The address of the account that the key belongs to. @returns undefined if there is none. */
export async function emailOf(url: string, apiKey: string): Promise<string | undefined> {
  const headers = { 'x-api-key': apiKey };
  const answer = await fetch(`${url}/api/v1/auth/who-am-i`, { headers }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  return ((await answer.json()) as { data: { email: string } }).data.email;
}

/**
 * Creates a link that signs in to the account of the key, which is the first one, once and within ten minutes.
 * @param runAdmin runs an admin command; returns its output, or undefined if it fails.
 * @returns undefined if there is none.
 */
export async function createSignInLink(
  url: string,
  apiKey: string,
  runAdmin: (args: readonly string[]) => Promise<string | undefined>,
): Promise<string | undefined> {
  const email = await emailOf(url, apiKey);
  if (email === undefined) return undefined;
  const link = (await runAdmin(['sign-in-link', '--email', email]))?.trim();
  // At the address that has just answered.
  return link && url + link.slice(link.indexOf(SIGN_IN_PATH));
}
