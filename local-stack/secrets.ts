import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A secret in a file of the home, created on first use. */
export function getOrCreateSecret(home: string, name: string, { prefix = '', bytes = 24 } = {}): string {
  const file = join(home, name);
  const kept = contentOf(file);
  if (kept) return kept;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${prefix}${randomBytes(bytes).toString('hex')}`, { mode: 0o600 });
  try {
    if (kept !== undefined) rmSync(file, { force: true }); // left empty by a killed process
    linkSync(draft, file); // atomic, and only the first of two processes succeeds
  } catch (error) {
    if (contentOf(file) === undefined) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return getOrCreateSecret(home, name, { prefix, bytes });
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** The secrets that the service requires: from the environment, otherwise generated. */
export function requiredSecrets(home: string): Record<'TOKEN_SECRET' | 'ENCRYPTION_KEYS', string> {
  // Templates leave variables empty.
  const set = (variable: string) => process.env[variable]?.trim() ?? '';
  return {
    TOKEN_SECRET: set('TOKEN_SECRET') || getOrCreateSecret(home, 'token-secret'),
    ENCRYPTION_KEYS: set('ENCRYPTION_KEYS') || getOrCreateSecret(home, 'encryption-key', { bytes: 32 }),
  };
}
