// Installs node_modules where they are missing or out of date. Plain JavaScript without dependencies: it runs first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 12];

function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  stop(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

const lock = contentOf(join(root, 'package-lock.json'));
if (lock === undefined) stop(`There is no package-lock.json in ${root}: run this from a complete checkout.`);

// The Node version belongs to it: packages may hold binaries for one of them.
const wanted = createHash('sha256')
  .update(`${process.platform} ${process.arch} ${major}\n${lock}`)
  .digest('hex');
const stamp = join(root, 'node_modules', '.install-stamp');

if (contentOf(stamp) !== wanted) {
  const start = performance.now();
  console.error('Packages  npm ci …');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // npm's own summary goes to standard error: a command that prints its result must not be mixed with it.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.error) stop(`npm could not be started (${npm.error.message}): put npm on the PATH.`);
  if (npm.status !== 0) stop('npm ci failed: its message is above; check the network and run this again.');
  writeFileSync(stamp, wanted);
  console.error(`Packages  npm ci: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
