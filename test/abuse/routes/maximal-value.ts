/** The part of a JSON schema of the API document that matters here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** Above the limits of all fields that have one. */
const MAX_ITEMS = 10_000;
const MAX_TEXT = 2_000;
const MAX_DEPTH = 6;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T00:00:00.000Z',
  date: '2030-01-01',
  email: 'somebody@example.com',
  uri: 'https://example.com/hook',
};

/**
 * A value with every property and as many items and characters as the schema allows.
 * @param budget the bytes that it may have; it ends early when they are used up.
 */
export function maximalValue(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  budget = { bytes: 1_900_000 },
  depth = 0,
): unknown {
  const resolved = resolve(schema, schemas);
  const type = typeof resolved.type === 'string' ? resolved.type : resolved.type?.[0];
  if (resolved.enum) return spend(resolved.enum[0], budget);
  if (depth > MAX_DEPTH) return null;
  if (type === 'array') {
    const items: unknown[] = [];
    const max = Math.min(resolved.maxItems ?? MAX_ITEMS, MAX_ITEMS);
    while (items.length < max && budget.bytes > 0)
      items.push(maximalValue(resolved.items ?? {}, schemas, budget, depth + 1));
    return items;
  }
  if (type === 'object' || resolved.properties)
    return Object.fromEntries(
      Object.entries(resolved.properties ?? {})
        .filter(() => budget.bytes > 0)
        .map(([name, property]) => [name, maximalValue(property, schemas, budget, depth + 1)]),
    );
  return spend(scalar(type, resolved), budget);
}

function scalar(type: string | undefined, schema: Schema): unknown {
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return schema.maximum ?? 1;
  if (schema.format && FORMATS[schema.format] !== undefined) return FORMATS[schema.format];
  if (schema.pattern !== undefined) return schema.examples?.[0] ?? 'x';
  return '\u{1F600}'.repeat(Math.min(schema.maxLength ?? MAX_TEXT, MAX_TEXT) / 2);
}

function spend(value: unknown, budget: { bytes: number }): unknown {
  budget.bytes -= Buffer.byteLength(JSON.stringify([value])) + 2;
  return value;
}

function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const name = schema.$ref?.split('/').pop();
  if (name !== undefined) return resolve(schemas[name] ?? {}, schemas);
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  return choice && !schema.properties ? resolve(choice, schemas) : schema;
}
