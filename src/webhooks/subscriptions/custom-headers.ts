export const MAX_CUSTOM_HEADERS = 10;
export const MAX_HEADER_NAME_LENGTH = 64;
export const MAX_HEADER_VALUE_LENGTH = 1_024;

/** Set by the service, or by the connection (RFC 9110, 7.6.1). */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-signature',
]);
const RESERVED_PREFIXES = ['webhook-', 'x-webhook-'];

/** RFC 9110: a token, and printable ASCII without spaces around it. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

/** @returns why the headers of a webhook cannot be used, continuing the name of the field; undefined if they can. */
export function customHeadersError(headers: Readonly<Record<string, unknown>>): string | undefined {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const shown = name.slice(0, MAX_HEADER_NAME_LENGTH);
    if (!NAME.test(name)) return `has an invalid name: ${JSON.stringify(shown)}`;
    if (name.length > MAX_HEADER_NAME_LENGTH)
      return `has a name that is longer than ${MAX_HEADER_NAME_LENGTH} characters: ${shown}`;
    if (RESERVED.has(key) || RESERVED_PREFIXES.some((prefix) => key.startsWith(prefix)))
      return `must not have ${name}, which the service sets`;
    if (names.has(key)) return `has ${name} twice`;
    names.add(key);
    if (typeof value !== 'string') return `must have a text as the value of ${name}`;
    if (value.length > MAX_HEADER_VALUE_LENGTH)
      return `must have at most ${MAX_HEADER_VALUE_LENGTH} characters in ${name}`;
    if (!VALUE.test(value))
      return `must have printable ASCII characters in ${name}, without spaces around them`;
  }
  return undefined;
}
