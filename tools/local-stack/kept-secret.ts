import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A secret of the installation on this machine: made once, and kept with the data of the stack. */
export function keptSecret(home: string, name: string, prefix = ''): string {
  const file = join(home, name);
  if (!existsSync(file)) {
    writeFileSync(file, `${prefix}${randomBytes(24).toString('hex')}`, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}
