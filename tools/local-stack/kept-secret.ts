import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A secret of the installation on this machine: made once, and kept with the data of the stack. */
export function keptSecret(home: string, name: string, { prefix = '', bytes = 24 } = {}): string {
  const file = join(home, name);
  if (!existsSync(file)) {
    writeFileSync(file, `${prefix}${randomBytes(bytes).toString('hex')}`, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

/** The secrets the service demands: those of the environment, and where it has none, kept ones. */
export function requiredSecrets(home: string): Record<'TOKEN_SECRET' | 'ENCRYPTION_KEYS', string> {
  // A template leaves them empty, and empty counts as absent.
  const set = (variable: string) => process.env[variable]?.trim() ?? '';
  return {
    TOKEN_SECRET: set('TOKEN_SECRET') || keptSecret(home, 'token-secret'),
    ENCRYPTION_KEYS: set('ENCRYPTION_KEYS') || keptSecret(home, 'encryption-key', { bytes: 32 }),
  };
}
