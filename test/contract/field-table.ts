/** The type of a field; an array of strings is an enum. */
type FieldType = 'string' | 'number' | 'number|null' | 'boolean' | 'date-time' | 'object' | readonly string[];

interface FieldRule {
  readonly required: boolean;
  readonly type: FieldType | FieldTable;
  readonly isList: boolean;
}

/** All fields of an object, with their types and whether they are required. */
export type FieldTable = Readonly<Record<string, FieldRule>>;

type RuleType = FieldRule['type'];

export const required = (type: RuleType): FieldRule => ({ required: true, type, isList: false });
export const optional = (type: RuleType): FieldRule => ({ required: false, type, isList: false });
export const optionalList = (type: RuleType): FieldRule => ({ required: false, type, isList: true });
export const requiredList = (type: RuleType): FieldRule => ({ required: true, type, isList: true });

const isTable = (type: RuleType): type is FieldTable => typeof type === 'object' && !isChoice(type);
const isChoice = (type: RuleType): type is readonly string[] => Array.isArray(type);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function fits(type: FieldType, value: unknown): boolean {
  if (isChoice(type)) return typeof value === 'string' && type.includes(value);
  if (type === 'date-time') return typeof value === 'string' && ISO_TIME.test(value);
  if (type === 'object') return isObject(value);
  if (type === 'number|null') return value === null || typeof value === 'number';
  return typeof value === type;
}

/** The missing, unknown and mistyped fields of a response. */
export function fieldErrors(table: FieldTable, value: unknown, path = ''): string[] {
  if (!isObject(value)) return [`${path || 'the answer'} is not an object`];
  const unknown = Object.keys(value).filter((field) => !(field in table));
  return [
    ...unknown.map((field) => `${path}${field} is not an expected field`),
    ...Object.entries(table).flatMap(([field, rule]) => valueErrors(rule, value[field], path + field)),
  ];
}

function valueErrors(
  { required: isRequired, type, isList }: FieldRule,
  value: unknown,
  path: string,
): string[] {
  if (value === undefined) return isRequired ? [`${path} is missing`] : [];
  if (isList) {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    return value.flatMap((item: unknown, index) =>
      valueErrors({ required: true, type, isList: false }, item, `${path}.${index}`),
    );
  }
  if (isTable(type)) return fieldErrors(type, value, `${path}.`);
  return fits(type, value) ? [] : [`${path} is not ${String(type)}: ${JSON.stringify(value)}`];
}

/** Converts a table to an outline, to compare it with that of a schema of the API document. */
export function outlineOf(table: FieldTable): Outline {
  return Object.fromEntries(
    Object.entries(table).map(([field, { required: isRequired, type, isList }]) => {
      const kind = isTable(type) ? outlineOf(type) : isChoice(type) ? [...type].sort().join('|') : type;
      return [`${field}${isRequired ? '' : '?'}${isList ? '[]' : ''}`, kind];
    }),
  );
}

/** Field names with their types; `?` marks optional fields and `[]` arrays. */
export interface Outline {
  [field: string]: string | Outline;
}
