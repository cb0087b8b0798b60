import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Read at the first use: it takes 0.3 MB of memory. */
let table: ZoneTable | undefined;

/** Zones by number prefix, without the +. */
type ZoneTable = ReadonlyMap<string, readonly string[]>;

/** Of a prefix in the table. A test compares it. */
const MAX_PREFIX_DIGITS = 9;

/**
 * The time zones in which the owner of a number may be, as IANA names: those of its longest known prefix. A mobile number has
 * the zones of its country, of its area, or where most of the country's phones are, as libphonenumber knows them.
 * @param number in E.164.
 * @returns undefined for a text in another form, and for a number of no country.
 */
export function zonesOfNumber(number: string): readonly string[] | undefined {
  if (!number.startsWith('+')) return undefined;
  table ??= readTable();
  for (let end = MAX_PREFIX_DIGITS + 1; end > 1; end--) {
    const zones = table.get(number.slice(1, end));
    if (zones) return zones;
  }
  return undefined;
}

/** Each line has zones and their prefixes; from Google's libphonenumber (Apache License 2.0) by tools/number-zones.ts. */
function readTable(): ZoneTable {
  const lines = readFileSync(join(__dirname, 'number-zones.txt'), 'utf8').trim().split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [zones = '', prefixes = ''] = line.split(' ');
      const names = zones.split('&');
      return prefixes.split(',').map((prefix) => [prefix, names] as const);
    }),
  );
}
