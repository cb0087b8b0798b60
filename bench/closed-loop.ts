import type { Slice } from './slice';

/** Concurrent operations, on the service and on the bare driver. */
export const LANES = 16;

/**
 * Runs operations one after another in each lane until the time is over. Operations in progress are completed and counted.
 * @param operation runs one operation of a lane, by its number from 0, and returns its units; 0 ends the lane.
 */
export async function closedLoop(
  seconds: number,
  lanes: number,
  operation: (lane: number) => Promise<number>,
): Promise<Slice> {
  const times: number[] = [];
  let units = 0;
  const start = performance.now();
  const end = start + seconds * 1_000;
  const run = async (_: unknown, lane: number) => {
    for (let begin = start; begin < end;) {
      const done = await operation(lane);
      if (done === 0) return;
      const now = performance.now();
      units += done;
      times.push(now - begin);
      begin = now;
    }
  };
  await Promise.all(Array.from({ length: lanes }, run));
  return { units, seconds: (performance.now() - start) / 1_000, times };
}
