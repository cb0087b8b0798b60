import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors';
import { MalformedBody } from './request-shape';
import { isFormType, parseForm } from './form-body';
import { headerOf } from '../connections/raw-http';
import { inSlices, nextTurn } from '../../slices';
import { jsonSteps } from './json-steps';

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
  /** Waits until a large body may be read. */
  readonly admitLarge?: () => Promise<void>;
}

/** A larger body is parsed and validated in milliseconds, and takes up to 50 times its size in memory. */
const LARGE_BODY_BYTES = 64 * KILOBYTE;

/** For authenticated requests. */
export const ACCOUNT_BODY: BodyLimits = { maxBytes: ACCOUNT_BODY_BYTES };

/** For requests with an API key. */
export const KEY_BODY: BodyLimits = { ...ACCOUNT_BODY, mayBeForm: true };

/** For unauthenticated requests. */
export const ANONYMOUS_BODY: BodyLimits = { maxBytes: 16 * KILOBYTE, maxMs: 15_000 };

/** For requests that their body's signature authenticates. */
const SIGNED_BODY: BodyLimits = { maxBytes: 128 * KILOBYTE, maxMs: 15_000 };

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
  return parse(await readText(request, limits), isForm);
}

/** Reads a request body as text, because a signature covers its bytes. @throws MalformedBody, BodyTooLarge */
export async function readSignedBody(request: IncomingMessage): Promise<string> {
  if (!mayHaveBody(request) || !hasBody(request)) return '';
  assertNotCompressed(request);
  return readText(request, SIGNED_BODY);
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Rejects compressed bodies: decompression would let a few bytes cost seconds of CPU. */
export function assertNotCompressed(request: IncomingMessage): void {
  const encoding = headerOf(request, 'content-encoding')?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  throw new MalformedBody(
    'Compressed request bodies are not supported; send the body without Content-Encoding',
  );
}

/**
 * Reads and decodes UTF-8, without a byte order mark. Of a large body, one chunk is read in each turn of the event loop: 2 MB at once
 * would take 30 ms.
 */
function readText(request: IncomingMessage, { maxBytes, maxMs, admitLarge }: BodyLimits): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(new BodyTooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const parts: string[] = [];
    let size = 0;
    let admission: Promise<void> | undefined;
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
    const fail = (failure: unknown) => {
      stop();
      reject(failure instanceof Error ? failure : new Error(String(failure)));
      // The rest is dropped, so that the connection can be used again.
      request.resume();
    };
    const decode = (chunk?: Buffer) => {
      try {
        parts.push(decoder.decode(chunk, { stream: chunk !== undefined }));
        return true;
      } catch {
        fail(new MalformedBody('The request body is not valid UTF-8'));
        return false;
      }
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(new BodyTooLarge(maxBytes));
      else if (decode(chunk) && size > LARGE_BODY_BYTES) waitForTurn();
    };
    const waitForTurn = () => {
      request.pause();
      admission ??= admitLarge?.() ?? Promise.resolve();
      admission.then(nextTurn).then(() => request.resume(), fail);
    };
    const onEnd = () => {
      if (!decode()) return;
      stop();
      resolve(parts.join(''));
    };
    const onAborted = () => {
      fail(new MalformedBody('The request ended before its body did'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onAborted).on('close', onAborted);
  });
}

async function parse(text: string, isForm: boolean): Promise<object> {
  if (text === '') return {};
  // curl sends JSON with this content type by default.
  if (isForm && !/^\s*[{[]/.test(text)) return parseForm(text);
  const body = await parseJson(text);
  if (typeof body !== 'object' || body === null)
    throw new MalformedBody('The request body must be a JSON object');
  return body;
}

/** A large text is parsed in slices. */
async function parseJson(text: string): Promise<unknown> {
  try {
    return text.length > LARGE_BODY_BYTES ? await inSlices(jsonSteps(text)) : JSON.parse(text);
  } catch (failure) {
    if (failure instanceof AppError) throw failure;
    throw new MalformedBody('The request body is not valid JSON');
  }
}
