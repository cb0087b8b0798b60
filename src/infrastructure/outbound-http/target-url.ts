const MAX_URL_LENGTH = 2_048;

/** Privileged ports belong to system services, which may interpret the request as something else. */
const MIN_UNPRIVILEGED_PORT = 1_024;

export type Target = { readonly url: URL } | { readonly refusal: string };

/** Parses a webhook URL. @returns the reason if webhooks must not be sent to it, whatever its host resolves to. */
export function parseTargetUrl(text: string): Target {
  if (text.length > MAX_URL_LENGTH) return { refusal: `the URL is longer than ${MAX_URL_LENGTH} characters` };
  if (!URL.canParse(text)) return { refusal: 'this is not a complete URL, such as https://example.com/hook' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refusal: 'the URL must begin with http:// or https://' };
  if (url.username || url.password) return { refusal: 'the URL must not hold a user name or a password' };
  // URL leaves the default port of the scheme empty.
  if (url.port !== '' && url.port !== '80' && url.port !== '443' && Number(url.port) < MIN_UNPRIVILEGED_PORT)
    return { refusal: `the port must be 80, 443, or ${MIN_UNPRIVILEGED_PORT} or above` };
  return { url };
}

/** Whether a host name is reserved for loopback (RFC 6761). */
export function isLocalhost({ hostname }: URL): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}
