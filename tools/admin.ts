import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requiredSecrets, StackUnavailable, startLocalStack } from 'messaging-gateway-local-stack';
import { loadEnvFile } from '../src/config/environment/env-file';

const ROOT = join(__dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'admin.js');

/**
 * Runs the admin command of the build with the database and secrets of `npm start`. The sources lack the decorator
 * metadata that Nest needs.
 */
async function main(): Promise<void> {
  loadEnvFile(join(ROOT, '.env'));
  if (!existsSync(PROGRAM)) throw new StackUnavailable('The service is not built: run npm run build first');
  if (!isHelp(process.argv.slice(2))) {
    const { mongodbUri, redisUrl, home } = await startLocalStack();
    Object.assign(process.env, { MONGODB_URI: mongodbUri, REDIS_URL: redisUrl, ...requiredSecrets(home) });
  }
  await import(PROGRAM);
}

function isHelp(args: readonly string[]): boolean {
  return args.length === 0 || args.some((arg) => arg === '--help' || arg === '-h');
}

main().catch((error: unknown) => {
  console.error(error instanceof StackUnavailable ? error.message : error);
  process.exitCode = 1;
});
