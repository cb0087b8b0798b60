import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors';
import { MalformedBody } from './request-shape';
import { isFormType, parseForm } from './form-body';
import { headerOf } from '../raw-http';

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

export interface BodyLimits {
  readonly maxBytes: number;
  /** Timeout of the body, in addition to the server's request timeout. */
  readonly maxMs?: number;
  /** Whether a form is accepted besides JSON. */
  readonly mayBeForm?: boolean;
}

/** For authenticated requests. */
export const ACCOUNT_BODY: BodyLimits = { maxBytes: ACCOUNT_BODY_BYTES };

/** For requests with an API key. */
export const KEY_BODY: BodyLimits = { ...ACCOUNT_BODY, mayBeForm: true };

/** For unauthenticated requests. */
export const ANONYMOUS_BODY: BodyLimits = { maxBytes: 16 * KILOBYTE, maxMs: 15_000 };

const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS']);

export const mayHaveBody = ({ method = 'GET' }: IncomingMessage): boolean => !WITHOUT_BODY.has(method);

/**
 * Reads a request body as JSON, whatever its content type: many clients omit the header. @returns `{}` without a body.
 * @throws MalformedBody, BodyTooLarge
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<object> {
  if (!mayHaveBody(request) || !hasBody(request)) return {};
  assertNotCompressed(request);
  const isForm = limits.mayBeForm === true && isFormType(request.headers['content-type']);
  return parse(await readBytes(request, limits), isForm);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Rejects compressed bodies: decompression would let a few bytes cost seconds of CPU. */
function assertNotCompressed(request: IncomingMessage): void {
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
      request.off('data', onData).off('end', onEnd).off('error', onAborted).off('close', onAborted);
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
    const onAborted = () => {
      fail(new MalformedBody('The request ended before its body did'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onAborted).on('close', onAborted);
  });
}

function parse(bytes: Buffer, isForm: boolean): object {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new MalformedBody('The request body is not valid UTF-8');
  const text = bytes.toString();
  // curl sends JSON with this content type by default.
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
