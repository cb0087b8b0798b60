import { isNativeError } from 'node:util/types';
import { ProxyError } from '../proxy/proxy-tunnel';

const INCOMPLETE = 'the connection was closed before the response was complete';
const NOT_HTTP = 'the response is not valid HTTP';

const TEXT_BY_CODE: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'the host name does not exist'],
  ['ENODATA', 'the host name does not exist'],
  ['EAI_AGAIN', 'the DNS lookup of the host name failed'],
  ['EAI_FAIL', 'the DNS lookup of the host name failed'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', INCOMPLETE],
  ['ETIMEDOUT', 'the connection timed out'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is not valid: it was issued for another host name'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', INCOMPLETE],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of the response are too large'],
  ['UND_ERR_DESTROYED', 'the gateway was shutting down'],
  ['UND_ERR_CLOSED', 'the gateway was shutting down'],
]);

const CERTIFICATE_ERROR_CODE = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$/;

const textOf = (error: object, property: string): string => {
  const value: unknown = Reflect.get(error, property);
  return typeof value === 'string' ? value : '';
};

/** Describes why a request failed, for the owner of the webhook. */
export function requestErrorText(error: unknown): string {
  if (!isNativeError(error)) return 'the request failed';
  if (error instanceof ProxyError) return error.message;
  const code = textOf(error, 'code');
  const known = TEXT_BY_CODE.get(code);
  if (known) return known;
  if (code === 'UND_ERR_SOCKET') return error.message.startsWith('bad ') ? NOT_HTTP : INCOMPLETE;
  if (error.name === 'HTTPParserError')
    return error.message.includes('Invalid EOF state') ? INCOMPLETE : NOT_HTTP;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `TLS failed: ${textOf(error, 'reason') || 'the handshake failed'}`;
  // Newer versions of Node append advice for the operator of the process.
  if (CERTIFICATE_ERROR_CODE.test(code))
    return `the certificate is not valid: ${error.message.replace(/;.*/, '')}`;
  return `the request failed (${code || error.message})`;
}
