import type { OpenAPIObject } from '@nestjs/swagger';
import { toOpenApi31 } from './openapi-31';

/** A 3.0 schema in each place a document has for one, and what became of it there. */
function converted(schema: object): unknown[] {
  const media = { content: { 'application/json': { schema, example: { nullable: true, schema } } } };
  const document = toOpenApi31({
    openapi: '3.0.3',
    info: { title: 'Test', version: '1' },
    paths: {
      '/': {
        get: {
          parameters: [{ name: 'p', in: 'query', schema }],
          requestBody: media,
          responses: { default: { description: '', headers: { h: { schema } }, ...media } },
        },
      },
    },
    components: { schemas: { One: schema, schema: { type: 'object', properties: { schema } } } },
  });
  interface Place {
    schema: unknown;
  }
  const { get } = document.paths['/'] as unknown as Record<string, Record<string, unknown>>;
  const { parameters, requestBody, responses } = get as unknown as {
    parameters: [Place];
    requestBody: { content: Record<string, Place> };
    responses: { default: { headers: { h: Place }; content: Record<string, Place> } };
  };
  const schemas = document.components?.schemas as unknown as {
    One: unknown;
    schema: { properties: Place };
  };
  expect(document.openapi).toBe('3.1.0');
  expect(requestBody.content['application/json']).toHaveProperty('example', { nullable: true, schema });
  return [
    parameters[0].schema,
    requestBody.content['application/json']?.schema,
    responses.default.headers.h.schema,
    responses.default.content['application/json']?.schema,
    schemas.One,
    schemas.schema.properties.schema,
  ];
}

const REFERENCE = { $ref: '#/components/schemas/Other' };

describe('toOpenApi31', () => {
  it.each<[string, object, object]>([
    ['what has no other form stays', { type: 'string', maxLength: 3 }, { type: 'string', maxLength: 3 }],
    [
      'null is a type',
      { type: 'string', nullable: true, description: 'd' },
      { type: ['string', 'null'], description: 'd' },
    ],
    [
      'and a choice',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'or is next to a reference',
      { allOf: [REFERENCE], nullable: true, description: 'd' },
      { anyOf: [{ allOf: [REFERENCE] }, { type: 'null' }], description: 'd' },
    ],
    ['what cannot be null need not say so', { type: 'string', nullable: false }, { type: 'string' }],
    ['an exclusive bound', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['and one that is not', { maximum: 9, exclusiveMaximum: false }, { maximum: 9 }],
    ['examples are a list', { type: 'string', example: 'x' }, { type: 'string', examples: ['x'] }],
    [
      'all of that at any depth',
      {
        type: 'array',
        items: { type: 'object', properties: { nullable: { type: 'number', nullable: true } } },
      },
      { type: 'array', items: { type: 'object', properties: { nullable: { type: ['number', 'null'] } } } },
    ],
  ])('%s', (_, before, after) => {
    for (const place of converted(before)) expect(place).toEqual(after);
  });

  it('does not modify its input', () => {
    const document: OpenAPIObject = {
      openapi: '3.0.3',
      info: { title: 'Test', version: '1' },
      paths: {},
      components: { schemas: { One: { type: 'string', nullable: true } } },
    };
    const before = JSON.stringify(document);
    toOpenApi31(document);
    expect(JSON.stringify(document)).toBe(before);
  });
});
