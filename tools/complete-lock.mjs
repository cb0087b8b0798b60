// Adds the binaries for other platforms to package-lock.json. npm omits them if the registry has only those of this
// platform, and `npm ci` then rejects the lock file everywhere else.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64'];

const file = join(dirname(fileURLToPath(import.meta.url)), '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const { packages } = lock;

function platformOf(name) {
  const system = SYSTEMS.find((each) => name.includes(each));
  const processor = PROCESSORS.find((each) => name.includes(each));
  return system && processor ? { os: [system], cpu: [processor] } : undefined;
}

const isLocked = (name, parent) =>
  `${parent}/node_modules/${name}` in packages || `node_modules/${name}` in packages;

let added = 0;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries({ ...packages })) {
  for (const [name, wanted] of Object.entries(optionalDependencies)) {
    const platform = platformOf(name);
    if (!platform || isLocked(name, path)) continue;
    packages[`node_modules/${name}`] = {
      version: wanted.replace(/^[~^]/, ''),
      ...platform,
      ...(dev && { dev }),
      optional: true,
    };
    added++;
  }
}
if (process.argv.includes('--check')) {
  if (added > 0)
    console.error(`package-lock.json lacks ${added} packages of other platforms: npm run lock:complete`);
  process.exit(added > 0 ? 1 : 0);
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`package-lock.json: ${added} packages of other platforms added`);
