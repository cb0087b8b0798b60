import type { Logger } from '@nestjs/common';
import { SECOND_MS } from '../../durations';
import { formatError } from '../../format-error';
import { forEachInSlices } from '../../slices';
import { KEEPALIVE_MS } from './stream-rounds';

/** Of the streams that one query reads about. More take longer to read than other requests may wait. */
export const MAX_STREAMS_PER_READ = 200;

interface OpenStream {
  comment(text: string): void;
  close(): void;
}

type ListEnded<Stream> = (streams: readonly Stream[]) => Promise<readonly Stream[]>;

/** Tells clients and proxies that these streams are alive, and closes those whose access has ended. Never throws. */
export async function keepAlive<Stream extends OpenStream>(
  streams: readonly Stream[],
  text: string,
  listEnded: ListEnded<Stream>,
  logger: Logger,
): Promise<void> {
  await forEachInSlices(streams, (stream) => {
    stream.comment(text);
  });
  await closeEnded(streams, listEnded, logger);
}

/**
 * Closes those of these streams whose access has ended. Never throws.
 * @param listEnded is given up to `MAX_STREAMS_PER_READ` of them at a time.
 */
export async function closeEnded<Stream extends OpenStream>(
  streams: readonly Stream[],
  listEnded: ListEnded<Stream>,
  logger: Logger,
): Promise<void> {
  try {
    for (let first = 0; first < streams.length; first += MAX_STREAMS_PER_READ)
      for (const stream of await listEnded(streams.slice(first, first + MAX_STREAMS_PER_READ)))
        stream.close();
  } catch (failure) {
    logger.error(
      `The access of ${streams.length} streams was not checked; the next check is within ${KEEPALIVE_MS / SECOND_MS} s: ${formatError(failure)}`,
    );
  }
}
