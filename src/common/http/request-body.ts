import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors';
import { MalformedBody } from './body-shape';
import { isFormType, parseForm } from './form-body';
import { headerOf } from './raw-http';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

const ACCOUNT_BODY_BYTES = 2 * MEGABYTE;

export class BodyTooLarge extends AppError {
  readonly kind = 'invalid';
  readonly code = 'BODY_TOO_LARGE';

  constructor(maxBytes = ACCOUNT_BODY_BYTES) {
    const size = maxBytes < MEGABYTE ? `${maxBytes / KILOBYTE} KB` : `${maxBytes / MEGABYTE} MB`;
    super(`The request body is larger than ${size}`);
  }
}

/** What the body of a request may be. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** How long it may take to arrive; the server limits every request as well. */
  readonly maxMs?: number;
  /** Whether it may be a form instead of JSON. */
  readonly mayBeForm?: boolean;
}

/** Of a request with an account. */
export const ACCOUNT_BODY: BodyLimits = { maxBytes: ACCOUNT_BODY_BYTES };

/** Of a request with an API key. */
export const KEY_BODY: BodyLimits = { ...ACCOUNT_BODY, mayBeForm: true };

/** Of a request without an account. */
export const ANONYMOUS_BODY: BodyLimits = { maxBytes: 16 * KILOBYTE, maxMs: 15_000 };

const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the body of a request is read. */
export const mayHaveBody = ({ method = 'GET' }: IncomingMessage): boolean => !WITHOUT_BODY.has(method);

/**
 * Reads the body of a request as JSON, whatever its content type says: clients in the field forget the header. A request
 * without a body has no fields.
 * @throws MalformedBody, BodyTooLarge
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<object> {
  if (!mayHaveBody(request) || !hasBody(request)) return {};
  assertNotEncoded(request);
  const isForm = limits.mayBeForm === true && isFormType(request.headers['content-type']);
  return parse(await readBytes(request, limits), isForm);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Decompression would let a few bytes cost seconds of CPU. */
function assertNotEncoded(request: IncomingMessage): void {
  const encoding = headerOf(request, 'content-encoding')?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  throw new MalformedBody(
    'Compressed request bodies are not supported; send the body without Content-Encoding',
  );
}

function readBytes(request: IncomingMessage, { maxBytes, maxMs }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(new BodyTooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer =
      maxMs === undefined
        ? undefined
        : setTimeout(() => {
            fail(new MalformedBody(`The request body did not arrive within ${maxMs / 1_000} seconds`));
          }, maxMs);
    const stop = () => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onEnded).off('close', onEnded);
    };
    const fail = (failure: Error) => {
      stop();
      reject(failure);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(new BodyTooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const onEnd = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    const onEnded = () => {
      fail(new MalformedBody('The request ended before its body did'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onEnded).on('close', onEnded);
  });
}

function parse(bytes: Buffer, isForm: boolean): object {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new MalformedBody('The request body is not valid UTF-8');
  const text = bytes.toString();
  // curl names this type for JSON as well.
  if (isForm && !/^\s*[{[]/.test(text)) return parseForm(text);
  const body = parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (typeof body !== 'object' || body === null)
    throw new MalformedBody('The request body must be a JSON object');
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedBody('The request body is not valid JSON');
  }
}
