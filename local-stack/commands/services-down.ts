import { stopLocalStack } from 'messaging-gateway-local-stack';

/** Ends what the set-up left running; the data stays. */
async function main(): Promise<void> {
  const stopped = await stopLocalStack();
  console.log(stopped.length === 0 ? 'Nothing was running.' : `Stopped: ${stopped.join(', ')}.`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
