import { StackUnavailable, startLocalStack } from 'messaging-gateway-local-stack';

/** The passwords stay out of what a terminal or a CI log keeps. */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/[^@/]*@/, '//');
}

/** Makes MongoDB and Redis available and prints where they are. */
async function main(): Promise<void> {
  const { mongodbUri, redisUrl } = await startLocalStack();
  console.log(`MongoDB: ${withoutCredentials(mongodbUri)}`);
  console.log(`Redis: ${withoutCredentials(redisUrl)}`);
  console.log('`npm run --silent services:env` prints both with their passwords, for a shell.');
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
