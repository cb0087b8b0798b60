import { BenchRun } from './bench-run';
import { readOptions } from './options';
import { commandsOf, profilesOf, tableOf } from './report';

/** Measures the hot paths of the service beside what the bare driver can do for the same writes. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const start = performance.now();
  const say = (text: string) => {
    const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(7);
    process.stderr.write(`${seconds}  ${text}\n`);
  };
  const run = new BenchRun(options, say);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      ending.abort();
      say(`${signal}: ending what was started`);
      void run.close().then(() => process.exit(130));
    });
  }
  try {
    const results = await run.run();
    for (const result of results) {
      if (options.countsCommands) process.stderr.write(`\n${commandsOf(result)}\n`);
      if (options.isProfiled) process.stderr.write(`\n${profilesOf(result)}\n`);
    }
    const rows = results.map(({ figures }) => figures);
    process.stdout.write(options.isJson ? `${JSON.stringify({ rows })}\n` : `\n${tableOf(results)}\n`);
  } catch (failure) {
    // What was started is ended under the run: of what that breaks there is nothing to tell.
    if (ending.signal.aborted) await new Promise(() => undefined);
    throw failure;
  } finally {
    await run.close();
  }
}

main().then(
  () => process.exit(0),
  (failure: unknown) => {
    process.stderr.write(
      `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
    );
    process.exit(1);
  },
);
