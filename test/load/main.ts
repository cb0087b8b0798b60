import { withRunLock } from '../chaos/run-lock';
import { ProgressLog } from '../chaos/progress-log';
import { runChecks } from './checks';
import { LoadRun } from './load-run';
import { type LoadOptions, readOptions } from './options';
import { formatSummary } from './summary';

/** Sends at a steady rate, and checks throughput, losses and memory. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const progress = new ProgressLog();
  return withRunLock(progress, () => runAndJudge(options, progress));
}

async function runAndJudge(options: LoadOptions, progress: ProgressLog): Promise<number> {
  const run = new LoadRun(options, progress);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      ending.abort();
      progress.log(`${signal}: cleaning up`);
      void run.close().then(() => process.exit(130));
    });
  }
  try {
    const { evidence, figures } = await run.run();
    const result = runChecks(options, evidence, figures);
    progress.print(formatSummary(options, evidence, figures, result));
    progress.print(`Logs and the figures of each second: ${figures.folder}`);
    return result.checks.every(({ isGood }) => isGood !== false) ? 0 : 1;
  } catch (failure) {
    // Ignore errors that the shutdown causes.
    if (ending.signal.aborted) await new Promise(() => undefined);
    throw failure;
  } finally {
    await run.close();
  }
}

main().then(
  (code) => process.exit(code),
  (failure: unknown) => {
    process.stderr.write(
      `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
    );
    process.exit(1);
  },
);
