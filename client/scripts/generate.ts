import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const DOCUMENT = join(ROOT, 'openapi.json');
const GENERATED = join(ROOT, 'client', 'generated');

async function generate(folder: string): Promise<void> {
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input: DOCUMENT,
    output: { path: folder, importFileExtension: null },
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/typescript',
      { name: '@hey-api/sdk', operations: { strategy: 'single', containerName: 'MessagingGateway' } },
    ],
    logs: { level: 'silent', file: false },
  });
}

function filesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length), readFileSync(path, 'utf8')];
    }),
  );
}

function areSame(one: string, other: string): boolean {
  const [files, others] = [filesIn(one), filesIn(other)];
  return files.size === others.size && Array.from(files).every(([path, text]) => others.get(path) === text);
}

/** Writes client/generated; with `--check`, only reports whether it is up to date. */
async function main(): Promise<number> {
  const fresh = mkdtempSync(join(tmpdir(), 'messaging-gateway-client-'));
  try {
    await generate(fresh);
    if (!process.argv.includes('--check')) {
      rmSync(GENERATED, { recursive: true, force: true });
      cpSync(fresh, GENERATED, { recursive: true });
    } else if (!areSame(fresh, GENERATED)) {
      console.error('client/generated is out of date: run npm run client');
      return 1;
    }
    return 0;
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (failure: unknown) => {
    console.error(failure);
    process.exitCode = 1;
  },
);
