import { openSync } from 'node:fs';

/** The limit of Linux for a socket's path, less the name of PostgreSQL's socket. */
const MAX_BYTES = 107 - '/.s.PGSQL.65535'.length;

const opened = new Map<string, number>();

/** A path to the folder that is short enough for the address of a socket in it. It is valid in this process only. */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= MAX_BYTES) return folder;
  const descriptor = opened.get(folder) ?? openSync(folder, 'r');
  opened.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}`;
}
