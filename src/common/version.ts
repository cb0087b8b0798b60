import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same path from `src/common` and from `dist/common`. */
const PACKAGE = join(__dirname, '..', '..', 'package.json');

function readVersion(): string {
  const content: unknown = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  if (typeof content === 'object' && content && 'version' in content && typeof content.version === 'string') {
    return content.version;
  }
  throw new Error(`${PACKAGE} has no version`);
}

/** The version in package.json, such as `1.0.0`. */
export const VERSION = readVersion();

/** The version of the API, such as `1.0`: the first two numbers of VERSION. */
export const API_VERSION = VERSION.split('.').slice(0, 2).join('.');
