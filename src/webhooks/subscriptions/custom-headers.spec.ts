import { customHeadersError } from './custom-headers';

const PRINTABLE = 'must have printable ASCII characters in X-A, without spaces around them';

describe('customHeadersError', () => {
  it.each([
    [{}],
    [{ Authorization: 'Bearer abc.def-ghi==' }],
    [{ 'X-Api-Key': 'a', 'x-tenant': 'one two\tthree', Cookie: 'a=b; c="d"' }],
    [{ ['a'.repeat(64)]: 'x'.repeat(1_024) }],
    [{ Webhook: 'no prefix', 'X-Webhook': 'no prefix' }],
  ])('accepts %j', (headers) => {
    expect(customHeadersError(headers)).toBeUndefined();
  });

  it.each([
    'Content-Type',
    'content-length',
    'HOST',
    'X-Signature',
    'User-Agent',
    'Idempotency-Key',
    'Webhook-Id',
    'webhook-timestamp',
    'webhook-signature',
    'X-Webhook-Test',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Content-Encoding',
  ])('refuses %s by name', (name) => {
    expect(customHeadersError({ [name]: 'x' })).toBe(`must not have ${name}, which the service sets`);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ '': 'x' }, 'has an invalid name: ""'],
    [{ 'a b': 'x' }, 'has an invalid name: "a b"'],
    [{ 'a:': 'x' }, 'has an invalid name: "a:"'],
    [{ 'a\r\nb': 'x' }, 'has an invalid name: "a\\r\\nb"'],
    [{ ä: 'x' }, 'has an invalid name: "ä"'],
    [{ ['a'.repeat(65)]: 'x' }, `has a name that is longer than 64 characters: ${'a'.repeat(64)}`],
    [{ 'X-A': 'x', 'x-a': 'y' }, 'has x-a twice'],
    [{ 'X-A': 1 }, 'must have a text as the value of X-A'],
    [{ 'X-A': null }, 'must have a text as the value of X-A'],
    [{ 'X-A': ['x'] }, 'must have a text as the value of X-A'],
    [{ 'X-A': 'x'.repeat(1_025) }, 'must have at most 1024 characters in X-A'],
    ...['', ' x', 'x ', 'a\r\nHost: b', 'a\nb', 'a\0b', 'schön', '\t'].map(
      (value) => [{ 'X-A': value }, PRINTABLE] as [Record<string, unknown>, string],
    ),
  ])('refuses %j', (headers, error) => {
    expect(customHeadersError(headers)).toBe(error);
  });
});
