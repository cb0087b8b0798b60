import { openSync } from 'node:fs';

/** The limit of a socket path in Linux, minus the name of the socket. */
const MAX_BYTES = 107 - '/.s.PGSQL.65535'.length;

const opened = new Map<string, number>();

/** A path to the folder that is short enough for a socket, valid in this process only. */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= MAX_BYTES) return folder;
  const descriptor = opened.get(folder) ?? openSync(folder, 'r');
  opened.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}`;
}
