import { Workbench } from './workbench';

/**
 * Runs a program with a workbench and cleans up after success, failure and Ctrl-C. Progress goes to standard error.
 */
export function runWithWorkbench(
  program: (workbench: Workbench, log: (text: string) => void) => Promise<void>,
): void {
  const start = performance.now();
  const log = (text: string) => {
    const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(7);
    process.stderr.write(`${seconds}  ${text}\n`);
  };
  const workbench = new Workbench(log);
  let isInterrupted = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (isInterrupted) return;
    isInterrupted = true;
    log(`${signal}: cleaning up`);
    void workbench.close().then(() => process.exit(130));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const exit = async (code: number, failure?: unknown) => {
    // Ignore errors that the cleanup causes.
    if (isInterrupted) return;
    for (const error of workbench.errors) log(error);
    if (failure !== undefined) process.stderr.write(`${formatError(failure)}\n`);
    await workbench.close();
    process.exit(code);
  };
  program(workbench, log).then(
    () => exit(0),
    (failure: unknown) => exit(1, failure),
  );
}

function formatError(failure: unknown): string {
  return failure instanceof Error ? (failure.stack ?? failure.message) : JSON.stringify(failure);
}
