import { isNativeError } from 'node:util/types';

const CUT_OFF = 'the connection was closed before the answer was complete';
const NOT_HTTP = 'the answer is not valid HTTP';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'the name does not exist'],
  ['ENODATA', 'the name does not exist'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['EAI_FAIL', 'the name could not be looked up'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', CUT_OFF],
  ['ETIMEDOUT', 'no connection within the time allowed'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is not valid: it was issued for another name'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', CUT_OFF],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of the answer are too large'],
  ['UND_ERR_DESTROYED', 'the gateway was shutting down'],
  ['UND_ERR_CLOSED', 'the gateway was shutting down'],
]);

/** OpenSSL's verdicts on certificates, as Node names them; its words for them are fit to be read. */
const CERTIFICATE_CODE = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$/;

const textOf = (error: object, property: string): string => {
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : '';
};

/** Why a request came to nothing, in a few words for the owner of the webhook. */
export function failureReason(failure: unknown): string {
  if (!isNativeError(failure)) return 'the request failed';
  const code = textOf(failure, 'code');
  const known = REASONS.get(code);
  if (known) return known;
  if (code === 'UND_ERR_SOCKET') return failure.message.startsWith('bad ') ? NOT_HTTP : CUT_OFF;
  // The parser's errors have no code of their own.
  if (failure.name === 'HTTPParserError')
    return failure.message.includes('Invalid EOF state') ? CUT_OFF : NOT_HTTP;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `TLS failed: ${textOf(failure, 'reason') || 'no secure connection came about'}`;
  // Newer Nodes add advice to whoever started the process, which is not who reads this.
  if (CERTIFICATE_CODE.test(code))
    return `the certificate is not valid: ${failure.message.replace(/;.*/, '')}`;
  return `the request failed (${code || failure.message})`;
}
