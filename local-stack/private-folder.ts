import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { type Home } from './home';
import { StackUnavailable } from './stack-unavailable';

const PRIVATE = 0o700;

/** What a set-up of any version leaves in its home, even one that was killed early. */
const KNOWN_FILES = ['state.json', 'documentdb', 'mongod-download-failed', 'token-secret', 'api-key'];

/**
 * Creates the home, or closes one of an earlier version to other users.
 * @throws StackUnavailable for a folder that is used for something else: to change its mode would lock out others.
 */
export function makePrivate({ path }: Home): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  if ((statSync(path).mode & 0o777) === PRIVATE) return;
  const isOurs = readdirSync(path).length === 0 || KNOWN_FILES.some((name) => existsSync(join(path, name)));
  if (!isOurs || (statSync(path).mode & 0o1000) !== 0) {
    throw new StackUnavailable(
      `LOCAL_STACK_HOME: ${path} is used for something else. Set it to a folder that does not exist yet.`,
    );
  }
  chmodSync(path, PRIVATE);
}
