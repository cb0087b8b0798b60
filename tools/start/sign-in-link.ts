import { readVariable } from './addresses';

/**
 * Whether the sign-in link may be printed: a terminal forgets it, a log does not.
 * @param isTerminal whether the output goes to a terminal.
 */
export function mayPrintLink(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): boolean {
  if (readVariable(env, 'DASHBOARD') === 'false') return false;
  return isTerminal === true || readVariable(env, 'PRINT_SIGN_IN_LINK') === 'true';
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
  const headers = { 'x-api-key': apiKey };
  const answer = await fetch(`${url}/api/v1/auth/who-am-i`, { headers }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const { data } = (await answer.json()) as { data: { email: string } };
  const path = (await runAdmin(['sign-in-link', '--email', data.email]))?.trim();
  return path && url + path;
}
