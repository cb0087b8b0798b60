import { StackUnavailable, startLocalStack } from '../index';

/** Terminals and CI logs must not contain passwords. */
function withoutCredentials(uri: string): string {
  return uri.replace(/\/\/[^@/]*@/, '//');
}

async function main(): Promise<void> {
  const { mongodbUri, redisUrl } = await startLocalStack();
  console.log(`MongoDB: ${withoutCredentials(mongodbUri)}`);
  console.log(`Redis: ${withoutCredentials(redisUrl) || 'set by REDIS_SENTINELS or REDIS_CLUSTER_NODES'}`);
  console.log('`npm run --silent services:env` prints both with their passwords, for a shell.');
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
