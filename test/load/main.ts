import { oneRunAtATime } from '../chaos/one-run-at-a-time';
import { ChaosScreen } from '../chaos/screen';
import { judge } from './judge';
import { LoadRun } from './load-run';
import { type LoadOptions, readOptions } from './options';
import { summaryOf } from './summary';

/** Sends at a steady rate for minutes, and checks that the service keeps up, loses nothing and does not grow. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const screen = new ChaosScreen();
  return oneRunAtATime(screen, () => runAndJudge(options, screen));
}

async function runAndJudge(options: LoadOptions, screen: ChaosScreen): Promise<number> {
  const run = new LoadRun(options, screen);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      ending.abort();
      screen.say(`${signal}: ending what was started`);
      void run.close().then(() => process.exit(130));
    });
  }
  try {
    const { evidence, figures } = await run.run();
    const judgement = judge(options, evidence, figures);
    screen.print(summaryOf(options, evidence, figures, judgement));
    screen.print(`Logs and the figures of each second: ${figures.folder}`);
    return judgement.checks.every(({ isGood }) => isGood !== false) ? 0 : 1;
  } catch (failure) {
    // What was started is ended under the run: of what that breaks there is nothing to tell.
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
