/**
 * The duration of the fastest of several runs, in milliseconds. A busy machine delays only some of the runs.
 */
export async function fastestRunMs(runs: number, work: () => PromiseLike<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}
