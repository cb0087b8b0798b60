import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose values are schemas by name, lists of schemas, and single schemas. */
const NAMED = new Set(['properties', 'patternProperties']);
const LISTED = new Set(['allOf', 'anyOf', 'oneOf']);
const SINGLE = new Set(['items', 'additionalProperties', 'not']);

/** Data that is shown beside a schema: whatever it looks like, it is no part of the description. */
const DATA = new Set(['example', 'examples']);

const mapValues = (object: Json, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));

/**
 * Turns a document that @nestjs/swagger wrote in the manner of OpenAPI 3.0 into one of 3.1, whose schemas are plain JSON
 * Schema: `null` is a type, exclusive bounds are numbers, and examples are a list.
 */
export function inDialect31(document: OpenAPIObject): OpenAPIObject {
  // The types of @nestjs/swagger know 3.0 schemas only.
  return { ...(convert(document) as OpenAPIObject), openapi: '3.1.0' };
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (DATA.has(key)) return [key, value];
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
  const bounded = withBound(withBound(rest, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
  const shown = example === undefined ? bounded : { ...bounded, examples: [example] };
  return nullable === true ? orNull(shown) : shown;
}

function convertKeyword(key: string, value: unknown): unknown {
  if (NAMED.has(key) && isObject(value)) return mapValues(value, convertSchema);
  if (LISTED.has(key) && Array.isArray(value)) return value.map(convertSchema);
  return SINGLE.has(key) ? convertSchema(value) : value;
}

/** 3.0 says of a bound whether it is exclusive; JSON Schema has a bound of its own for that. */
function withBound(schema: Json, inclusive: string, exclusive: string): Json {
  const { [inclusive]: bound, [exclusive]: isExclusive, ...rest } = schema;
  if (typeof isExclusive !== 'boolean') return schema;
  return bound === undefined ? rest : { ...rest, [isExclusive ? exclusive : inclusive]: bound };
}

function orNull(schema: Json): Json {
  const { type, enum: choices, description, examples, ...rest } = schema;
  const told = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
  const list = Array.isArray(choices) ? (choices as unknown[]) : undefined;
  if (typeof type === 'string')
    return { type: [type, 'null'], ...(list && { enum: [...list, null] }), ...told, ...rest };
  return { anyOf: [{ ...(list && { enum: list }), ...rest }, { type: 'null' }], ...told };
}
