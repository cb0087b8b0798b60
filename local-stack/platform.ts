import { existsSync, readFileSync } from 'node:fs';

/** Whether this is Debian or a derivative. */
export function isDebian(): boolean {
  if (process.platform !== 'linux' || !existsSync('/etc/os-release')) return false;
  return /^ID(_LIKE)?=.*\bdebian\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
