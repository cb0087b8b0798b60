import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeFrom } from './local-stack/home';
import { requiredSecrets } from './local-stack/kept-secret';

const ROOT = join(__dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'admin.js');

/** Runs the built service's own commands (src/admin.ts): only there do Nest's decorators have their metadata. */
async function main(): Promise<void> {
  const envFile = join(ROOT, '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  if (!process.env.MONGODB_URI?.trim()) {
    fail(
      'MONGODB_URI is not set. For the database npm start uses: npx tsx tools/with-stack.ts tsx tools/admin.ts <command>',
    );
  } else if (!existsSync(PROGRAM)) {
    fail('The service is not built: run npm run build first');
  } else {
    const home = homeFrom(process.env).path;
    // Here they are the secrets of npm start's service; in production they are set.
    if (existsSync(home)) Object.assign(process.env, requiredSecrets(home));
    await import(PROGRAM);
  }
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
