import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose value is a map of schemas, a list of schemas, or a schema. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties']);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
const SINGLE_SCHEMAS = new Set(['items', 'additionalProperties', 'not']);

/** Examples are copied unchanged, even if they look like a schema. */
const EXAMPLES = new Set(['example', 'examples']);

const mapValues = (object: Json, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));

/**
 * Converts the OpenAPI 3.0 document of @nestjs/swagger to 3.1, whose schemas are JSON Schema: `null` is a type, exclusive
 * bounds are numbers, and examples are a list.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  // The types of @nestjs/swagger allow 3.0 schemas only.
  return { ...(convert(document) as OpenAPIObject), openapi: '3.1.0' };
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (EXAMPLES.has(key)) return [key, value];
      if (key === 'schema') return [key, convertSchema(value)];
      if (key === 'schemas' && isObject(value)) return [key, mapValues(value, convertSchema)];
      return [key, convert(value)];
    }),
  );
}

function convertSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { nullable, example, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, convertKeyword(key, value)]),
  );
  const bounded = convertBound(
    convertBound(rest, 'minimum', 'exclusiveMinimum'),
    'maximum',
    'exclusiveMaximum',
  );
  const withExamples = example === undefined ? bounded : { ...bounded, examples: [example] };
  return nullable === true ? orNull(withExamples) : withExamples;
}

function convertKeyword(key: string, value: unknown): unknown {
  if (SCHEMA_MAPS.has(key) && isObject(value)) return mapValues(value, convertSchema);
  if (SCHEMA_LISTS.has(key) && Array.isArray(value)) return value.map(convertSchema);
  return SINGLE_SCHEMAS.has(key) ? convertSchema(value) : value;
}

/** In 3.0 `exclusiveMinimum` is a flag of `minimum`; in JSON Schema it is the bound. */
function convertBound(schema: Json, inclusive: string, exclusive: string): Json {
  const { [inclusive]: bound, [exclusive]: isExclusive, ...rest } = schema;
  if (typeof isExclusive !== 'boolean') return schema;
  return bound === undefined ? rest : { ...rest, [isExclusive ? exclusive : inclusive]: bound };
}

function orNull(schema: Json): Json {
  const { type, enum: choices, description, examples, ...rest } = schema;
  const annotations = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
  const list = Array.isArray(choices) ? (choices as unknown[]) : undefined;
  if (typeof type === 'string')
    return { type: [type, 'null'], ...(list && { enum: [...list, null] }), ...annotations, ...rest };
  return { anyOf: [{ ...(list && { enum: list }), ...rest }, { type: 'null' }], ...annotations };
}
