import { StackUnavailable, startLocalStack } from '../index';

function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Starts MongoDB and Redis and prints their addresses with passwords, for a shell's `eval`. */
async function main(): Promise<void> {
  const { mongodbUri, redisUrl } = await startLocalStack();
  console.log(`export MONGODB_URI=${quoted(mongodbUri)}`);
  console.log(`export REDIS_URL=${quoted(redisUrl)}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
