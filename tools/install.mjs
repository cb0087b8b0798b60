// Installs node_modules if missing or outdated. Plain JavaScript without dependencies, because it runs first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const minimum = engines.node.replace('>=', '');
const [minimumMajor, minimumMinor] = minimum.split('.').map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < minimumMajor || (major === minimumMajor && minor < minimumMinor)) {
  stop(`Node ${minimum} or newer is required; this is ${process.versions.node}.`);
}

const lock = contentOf(join(root, 'package-lock.json'));
if (lock === undefined) stop(`There is no package-lock.json in ${root}: run this from a complete checkout.`);

// Packages may contain binaries for one version of Node.
const wanted = createHash('sha256')
  .update(`${process.platform} ${process.arch} ${major}\n${lock}`)
  .digest('hex');
const stamp = join(root, 'node_modules', '.install-stamp');

if (contentOf(stamp) !== wanted) {
  const start = performance.now();
  console.error('Packages  npm ci …');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // Standard output belongs to the command that follows.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.error) stop(`npm could not be started (${npm.error.message}): put npm on the PATH.`);
  if (npm.status !== 0) stop('npm ci failed: its message is above; check the network and run this again.');
  writeFileSync(stamp, wanted);
  console.error(`Packages  npm ci: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
