import { Workbench } from './workbench';

/**
 * Runs a program on a workbench, and ends all it has started: at its end, when it fails, and on Ctrl-C. What it says on
 * the way goes to standard error.
 */
export function runToEnd(
  program: (workbench: Workbench, say: (text: string) => void) => Promise<void>,
): void {
  const start = performance.now();
  const say = (text: string) => {
    const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(7);
    process.stderr.write(`${seconds}  ${text}\n`);
  };
  const workbench = new Workbench(say);
  let isInterrupted = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (isInterrupted) return;
    isInterrupted = true;
    say(`${signal}: ending what was started`);
    void workbench.close().then(() => process.exit(130));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const end = async (code: number, failure?: unknown) => {
    // What was started is ended under the program: of what that breaks there is nothing to tell.
    if (isInterrupted) return;
    for (const fault of workbench.faults) say(fault);
    if (failure !== undefined) process.stderr.write(`${textOf(failure)}\n`);
    await workbench.close();
    process.exit(code);
  };
  program(workbench, say).then(
    () => end(0),
    (failure: unknown) => end(1, failure),
  );
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? (failure.stack ?? failure.message) : JSON.stringify(failure);
}
