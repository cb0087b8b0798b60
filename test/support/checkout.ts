import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the tests are. */
export const ROOT = join(__dirname, '..', '..');

/** The files that are in git, as they are now, in a folder of their own, without packages. @returns its path. */
export function copyOfCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-'));
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  return folder;
}
