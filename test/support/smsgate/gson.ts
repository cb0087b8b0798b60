/** What the app's JSON library throws: the whole answer is lost. */
export class UnreadableJson extends Error {}

export type JsonObject = Readonly<Record<string, unknown>>;

const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

export function asArray(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnreadableJson(`${name}: expected an array`);
  return value;
}

export function asObject(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableJson(`${name}: expected an object`);
  return value as JsonObject;
}

/** Reads a string; the library also accepts a number or a boolean for one. */
export function optionalString(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UnreadableJson(`${name}: expected a string`);
}

export function requiredString(object: JsonObject, name: string): string {
  const value = optionalString(object, name);
  if (value === undefined) throw new UnreadableJson(`${name} is missing`);
  return value;
}

export function optionalInteger(
  object: JsonObject,
  name: string,
  { least, most } = { least: -(2 ** 31), most: 2 ** 31 - 1 },
): number | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw new UnreadableJson(`${name}: expected an integer from ${least} to ${most}`);
  return value;
}

export function optionalBoolean(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new UnreadableJson(`${name}: expected a boolean`);
  return value;
}

/** Reads an enum; an unknown value is null, as if it were absent. */
export function optionalEnum<T extends string>(
  object: JsonObject,
  name: string,
  values: readonly T[],
): T | undefined {
  const value = optionalString(object, name);
  return values.find((each) => each === value);
}

/**
 * Reads a date by the app's pattern. All decimals are read as a number of milliseconds: `.123456` is 123 s too late.
 * @returns epoch milliseconds.
 */
export function optionalDate(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  const [, time = '', decimals = '0', zone = ''] = DATE.exec(typeof value === 'string' ? value : '') ?? [];
  const date = Date.parse(`${time}${zone}`) + Number(decimals);
  if (Number.isNaN(date)) throw new UnreadableJson(`${name}: unparseable date ${JSON.stringify(value)}`);
  return date;
}

/** A date as the app writes it: with milliseconds, and with the offset of the phone or `Z` for UTC. */
export function formatDate(time: number, offsetMinutes: number): string {
  const local = new Date(time + offsetMinutes * 60_000).toISOString().slice(0, -1);
  if (offsetMinutes === 0) return `${local}Z`;
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
  const minutes = Math.abs(offsetMinutes);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
