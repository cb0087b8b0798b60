import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { type Home } from './home';
import { StackUnavailable } from './stack-unavailable';

const PRIVATE = 0o700;

/** Files that any version creates, even if it is killed early. */
const KNOWN_FILES = ['state.json', 'documentdb', 'mongod-download-failed', 'token-secret', 'api-key'];

/**
 * Creates the home, or restricts the mode of an existing one.
 * @throws StackUnavailable for a folder with other content, whose users would be locked out.
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
