import { setImmediate } from 'node:timers/promises';
import { Logger, type StreamableFile } from '@nestjs/common';
import { HOUR_MS } from '../../durations';
import { formatError } from '../../format-error';
import { type PlatformResponse, rawResponseOf } from '../connections/raw-http';
import { streamText } from './json-stream';

/** A slow client may take long for a large file; a connection without any traffic is closed much earlier. */
const CLIENT_TIMEOUT_MS = 6 * HOUR_MS;

/** Other requests come first. Files do not take turns, because a slow search of one account would delay all others. */
async function runLast<Result>(task: () => Promise<Result>): Promise<Result> {
  await setImmediate();
  return task();
}

const logger = new Logger('FileStream');

/**
 * Sends a file while it is written, with the memory of one chunk. On a failure the connection is reset: behind a proxy that
 * speaks HTTP/1.0, a connection that is only closed is the end of a complete file.
 * @param parts of the file, in order. Closed with the connection.
 * @throws a failure of the first part, so that it becomes an ordinary error response.
 */
export async function streamFile(
  parts: AsyncGenerator<string>,
  file: { readonly name: string; readonly type: string },
  response: PlatformResponse,
): Promise<StreamableFile> {
  const headers = { type: file.type, disposition: `attachment; filename="${file.name}"` };
  const streamed = await streamText(parts, headers, CLIENT_TIMEOUT_MS, runLast);
  streamed.getStream().once('error', (failure: unknown) => {
    logger.warn(`${file.name} was not sent completely: ${formatError(failure)}`);
    const raw = rawResponseOf(response);
    if (raw.headersSent) raw.socket?.resetAndDestroy();
  });
  return streamed;
}
