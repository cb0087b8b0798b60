import { startLocalStack } from './local-stack/local-stack';
import { StackUnavailable } from './local-stack/unavailable';

/** Makes MongoDB and Redis available and prints where they are, in a form that a shell can read. */
async function main(): Promise<void> {
  const { mongodbUri, redisUrl } = await startLocalStack();
  console.log(`MONGODB_URI=${mongodbUri}`);
  console.log(`REDIS_URL=${redisUrl}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
