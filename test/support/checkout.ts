import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The root folder of the repository. */
export const ROOT = join(__dirname, '..', '..');

/** Copies the tracked files, with uncommitted changes, to a temporary folder. @returns its path. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-'));
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  return folder;
}
