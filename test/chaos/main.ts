import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChaosRun } from './chaos-run';
import { checkEvidence } from './checker';
import { withRunLock } from './run-lock';
import { type ChaosOptions, readOptions } from './options';
import { ProgressLog } from './progress-log';
import { checkApps } from './smsgate/app-checker';
import { AppRun } from './smsgate/app-run';
import { formatAppSummary, isGoodAppRun } from './smsgate/app-summary';
import { isGood, formatSummary } from './summary';

/** Kills processes while messages are sent, and checks that none is lost or sent twice. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const progress = new ProgressLog();
  return withRunLock(progress, () => (options.isAppOnly ? runApps : runAndJudge)(options, progress));
}

async function runApps(options: ChaosOptions, progress: ProgressLog): Promise<number> {
  progress.log(`${options.appMessages} messages through the app SMSGate`);
  const run = new AppRun({ seed: options.seed, messages: options.appMessages }, progress);
  closeOnSignal(run, progress);
  try {
    const evidence = await run.run();
    const verdict = checkApps(evidence);
    progress.print(formatAppSummary(options, evidence, verdict));
    if (isGoodAppRun(verdict)) return 0;
    writeFileSync(join(run.folder, 'verdict.json'), JSON.stringify(verdict, null, 2));
    progress.print(`Logs and verdict: ${run.folder}`);
    return 1;
  } finally {
    await run.close();
  }
}

async function runAndJudge(options: ChaosOptions, progress: ProgressLog): Promise<number> {
  progress.log(`Seed ${options.seed}, ${options.rounds} rounds of ${options.secondsPerRound} s`);
  const run = new ChaosRun(options, progress);
  closeOnSignal(run, progress);
  try {
    const { evidence, figures } = await run.run();
    const verdict = checkEvidence(evidence);
    progress.print(formatSummary(options, evidence, figures, verdict));
    if (isGood(verdict)) return 0;
    writeFileSync(join(figures.folder, 'verdict.json'), JSON.stringify(verdict, null, 2));
    writeFileSync(join(figures.folder, 'evidence.json'), JSON.stringify(evidence));
    progress.print(`Logs and evidence: ${figures.folder}`);
    return 1;
  } finally {
    await run.close();
  }
}

function closeOnSignal(run: { close(): Promise<void> }, progress: ProgressLog): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      progress.log(`${signal}: cleaning up`);
      void run.close().then(() => process.exit(130));
    });
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
