/** The longest URL a webhook may have, in characters. */
const MOST_URL_CHARACTERS = 2_048;

/** Ports below this belong to the services of a system, which understand more than they should of a request. */
const MIN_OTHER_PORT = 1_024;

export type Target = { readonly url: URL } | { readonly refusal: string };

/** Reads a webhook's URL. @returns why it can't be used, where it can't be, whatever it leads to. */
export function parseTarget(text: string): Target {
  if (text.length > MOST_URL_CHARACTERS)
    return { refusal: `the URL is longer than ${MOST_URL_CHARACTERS} characters` };
  if (!URL.canParse(text)) return { refusal: 'this is not a complete URL, such as https://example.com/hook' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refusal: 'the URL must begin with http:// or https://' };
  if (url.username || url.password) return { refusal: 'the URL must not hold a user name or a password' };
  // The port of the scheme itself is empty.
  if (url.port !== '' && url.port !== '80' && url.port !== '443' && Number(url.port) < MIN_OTHER_PORT)
    return { refusal: `the port must be 80, 443, or ${MIN_OTHER_PORT} or above` };
  return { url };
}

/** Whether a name means the machine itself wherever it is asked (RFC 6761), without a lookup. */
export function isLocalhost({ hostname }: URL): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}
