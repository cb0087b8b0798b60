import { setTimeout as sleep } from 'node:timers/promises';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const FIRST_RETRY = 10 * SECOND;
const LONGEST_RETRY = 5 * HOUR;

/** The waits of the app, which tests shorten. */
export class AppTime {
  /** @param scale the real milliseconds of one millisecond of the app. */
  constructor(private readonly scale = 1) {}

  /** Waits. @returns false if it was aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await sleep(ms * this.scale, undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }
}

/** The wait before retry number `retry`, from 0: 10 s, doubled each time, 5 h at most. */
export function retryDelay(retry: number): number {
  return Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** retry);
}

/** The wait before connection number `attempt`, from 1, since the stream was last open. */
export function reconnectDelay(attempt: number): number {
  if (attempt <= 5) return 5 * SECOND;
  return attempt <= 10 ? 30 * SECOND : 60 * SECOND;
}
