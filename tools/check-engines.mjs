// Fails if a dependency does not support the oldest version of Node in `engines`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import semver from 'semver';

/** Of the dashboard: they run in the browser only. */
const BROWSER_PACKAGES = ['@mantine/dropzone', 'attr-accept', 'file-selector', 'react-dropzone'];

const file = join(dirname(fileURLToPath(import.meta.url)), '..', 'package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8'));
const oldest = semver.minVersion(packages[''].engines.node);

const unsupported = Object.entries(packages).filter(([path, { engines }]) => {
  const name = path.split('node_modules/').at(-1);
  return engines?.node && !semver.satisfies(oldest, engines.node) && !BROWSER_PACKAGES.includes(name);
});
for (const [path, { version, engines }] of unsupported)
  console.error(`${path} ${version} needs Node ${engines.node}; this project promises ${oldest}`);
process.exit(unsupported.length > 0 ? 1 : 0);
