import { StackUnavailable, startLocalStack } from 'messaging-gateway-local-stack';

/** Quotes a value for a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Makes MongoDB and Redis available and prints their addresses with the passwords, for a shell's `eval`. */
async function main(): Promise<void> {
  const { mongodbUri, redisUrl } = await startLocalStack();
  console.log(`export MONGODB_URI=${quoted(mongodbUri)}`);
  console.log(`export REDIS_URL=${quoted(redisUrl)}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
