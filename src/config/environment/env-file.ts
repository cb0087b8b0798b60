import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of an `.env` file to `process.env`, if the file exists; variables that are set win.
 * Editors of Windows begin a file with a byte order mark, or write UTF-16.
 */
export function loadEnvFile(path: string): void {
  if (!existsSync(path)) return;
  for (const [name, value] of Object.entries(parseEnv(decode(readFileSync(path)))))
    process.env[name] ??= value;
}

function decode(content: Buffer): string {
  // Without the mark, which a decoder removes.
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[content.subarray(0, 2).toString('hex')];
  return new TextDecoder(encoding ?? 'utf-8').decode(content);
}
