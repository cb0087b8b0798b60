import { stopLocalStack } from '../index';

/** Stops the running servers and keeps their data. */
async function main(): Promise<void> {
  const stopped = await stopLocalStack();
  console.log(stopped.length === 0 ? 'Nothing was running.' : `Stopped: ${stopped.join(', ')}.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
