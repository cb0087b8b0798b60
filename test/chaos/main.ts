import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChaosRun } from './chaos-run';
import { check } from './checker';
import { oneRunAtATime } from './one-run-at-a-time';
import { type ChaosOptions, readOptions } from './options';
import { ChaosScreen } from './screen';
import { isGood, summaryOf } from './summary';

/** Kills everything there is while messages are sent, and checks that none is lost and none sent twice. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const screen = new ChaosScreen();
  return oneRunAtATime(screen, () => runAndJudge(options, screen));
}

async function runAndJudge(options: ChaosOptions, screen: ChaosScreen): Promise<number> {
  screen.say(`Seed ${options.seed}, ${options.rounds} rounds of ${options.secondsPerRound} s`);
  const run = new ChaosRun(options, screen);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      screen.say(`${signal}: ending what was started`);
      void run.close().then(() => process.exit(130));
    });
  }
  try {
    const { evidence, figures } = await run.run();
    const verdict = check(evidence);
    screen.print(summaryOf(options, evidence, figures, verdict));
    if (isGood(verdict)) return 0;
    writeFileSync(join(figures.folder, 'verdict.json'), JSON.stringify(verdict, null, 2));
    writeFileSync(join(figures.folder, 'evidence.json'), JSON.stringify(evidence));
    screen.print(`Logs and evidence: ${figures.folder}`);
    return 1;
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
