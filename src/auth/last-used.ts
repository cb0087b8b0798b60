import type { Logger } from '@nestjs/common';
import { MINUTE_MS } from '../common/durations';
import { formatError } from '../common/format-error';

export const LAST_USED_RESOLUTION_MS = MINUTE_MS;

/** Whether `lastUsedAt` of a credential is out of date. It is stored to the minute, so that not every request writes. */
export function isLastUsedStale(lastUsedAt: Date | undefined, now: Date): boolean {
  return !lastUsedAt || now.getTime() - lastUsedAt.getTime() >= LAST_USED_RESOLUTION_MS;
}

/**
 * Logs the failure of an update that the request does not wait for.
 * @param credential for example "session 665f1c2ab7e1d4a9c0f3e812".
 */
export function logFailedTouch(logger: Logger, credential: string, update: Promise<void>): void {
  update.catch((failure: unknown) => {
    logger.warn(
      `Could not update lastUsedAt of ${credential}; the next request retries it: ${formatError(failure)}`,
    );
  });
}
