import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { format, resolveConfig } from 'prettier';

const ROOT = join(__dirname, '..');
const FILE = join(ROOT, 'openapi.json');

// The build, because tsx omits the decorator metadata that Nest needs.
const load = createRequire(__filename);
const { AppModule } = load('../dist/app.module.js') as typeof import('../src/app.module');
const { setRoutePrefix } = load('../dist/bootstrap.js') as typeof import('../src/bootstrap');
const { loadConfiguration } = load(
  '../dist/config/configuration.js',
) as typeof import('../src/config/configuration');
const { buildDocument } = load('../dist/openapi/openapi.js') as typeof import('../src/openapi/openapi');

async function describeService(): Promise<string> {
  // A preview creates no providers, so these values are not used.
  const configuration = loadConfiguration({
    MONGODB_URI: 'mongodb://unused',
    REDIS_URL: 'redis://unused',
    TOKEN_SECRET: 'unused'.repeat(6),
    ENCRYPTION_KEYS: '0'.repeat(64),
  });
  const app = await NestFactory.create(AppModule.register(configuration), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  setRoutePrefix(app);
  return format(JSON.stringify(buildDocument(app)), { ...(await resolveConfig(FILE)), parser: 'json' });
}

/** Writes openapi.json; with `--check`, only reports whether it is up to date. */
async function main(): Promise<number> {
  const text = await describeService();
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, text);
    return 0;
  }
  if (existsSync(FILE) && readFileSync(FILE, 'utf8') === text) return 0;
  console.error('openapi.json is out of date: run npm run openapi');
  return 1;
}

main().then(
  (code) => process.exit(code),
  (failure: unknown) => {
    console.error(failure instanceof Error ? failure.message : String(failure));
    process.exit(1);
  },
);
