import type { IncomingMessage } from 'node:http';
import { beginUpload } from '../connections/long-uploads';
import { assertNotCompressed, hasBody } from './request-body';
import { MalformedBody } from './request-shape';

export const NOT_CSV = 'The request body must be a CSV file, with the header Content-Type: text/csv';

/** Whether a content type is that of CSV, which pages of other origins cannot send. */
export const isCsvType = (type: string | undefined): boolean => /^text\/csv\s*(;|$)/i.test(type ?? '');

/**
 * Reads a CSV file from the body of a request, of any length, as fast as the caller takes its chunks. What is left when the caller stops
 * is dropped.
 * @throws MalformedBody; while the chunks are read, if the client ends the request before its body.
 */
export function readCsvBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  assertNotCompressed(request);
  if (!isCsvType(request.headers['content-type']) || !hasBody(request)) throw new MalformedBody(NOT_CSV);
  return chunksOf(request);
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const endUpload = beginUpload(request);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
    if (!request.complete) throw endedEarly();
  } catch (failure) {
    throw request.errored || request.destroyed ? endedEarly() : failure;
  } finally {
    endUpload();
    // So that the connection can be used again.
    request.resume();
  }
}

const endedEarly = () => new MalformedBody('The request ended before its body did');
