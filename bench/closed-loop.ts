import type { Slice } from './slice';

/** Operations under way at a time: of the service's callers, and of the bare driver. */
export const LANES = 16;

/**
 * Runs operations one after another in each lane until the time is over; those under way are finished and counted,
 * with the time they take.
 * @param operation does one and tells its units; 0 ends its lane, because nothing is left to do.
 */
export async function closedLoop(
  seconds: number,
  lanes: number,
  operation: () => Promise<number>,
): Promise<Slice> {
  const times: number[] = [];
  let units = 0;
  const start = performance.now();
  const end = start + seconds * 1_000;
  const lane = async () => {
    for (let begin = start; begin < end;) {
      const done = await operation();
      if (done === 0) return;
      const now = performance.now();
      units += done;
      times.push(now - begin);
      begin = now;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { units, seconds: (performance.now() - start) / 1_000, times };
}
