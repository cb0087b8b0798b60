/**
 * The shortest of several runs, in milliseconds: what a program waits for, it waits for each time, while a busy machine
 * slows down only some.
 */
export async function fastestOf(runs: number, work: () => PromiseLike<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}
