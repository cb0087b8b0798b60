import type { OpenAPIObject } from '@nestjs/swagger';
import { RateLimited } from '../limits/limit.errors';

type Responses = NonNullable<OpenAPIObject['paths'][string]['get']>['responses'];
type ResponseOrReference = NonNullable<Responses[string]>;
type ResponseObject = Extract<ResponseOrReference, { description: string }>;

const integer = (description: string) => ({ description, schema: { type: 'integer' as const } });

const { message, code } = new RateLimited('with this key', 6_000, 0);
const DESCRIPTION = `\`${code}\`: ${message}`;
const HEADERS = {
  'Retry-After': integer('Seconds until the next request is allowed'),
  'RateLimit-Limit': integer('Requests allowed per minute'),
  'RateLimit-Remaining': integer('Requests left in this minute'),
  'RateLimit-Reset': integer('Seconds until the limit resets'),
};
const SCHEMA = { $ref: '#/components/schemas/ErrorResponse' };
const EXAMPLES = { [code]: { summary: code, value: { error: message, message, code } } };

/** The response 429 of rate limits. */
export const RATE_LIMITED: ResponseObject = {
  description: DESCRIPTION,
  headers: HEADERS,
  content: { 'application/json': { schema: SCHEMA, examples: EXAMPLES } },
};

/** Merges the 429 of rate limits into the 429 that the operation declares itself. */
export function withRateLimit(own: ResponseOrReference | undefined): ResponseOrReference {
  if (!own || '$ref' in own) return { $ref: '#/components/responses/RateLimited' };
  const { schema, examples } = own.content?.['application/json'] ?? {};
  const isSame = JSON.stringify(schema) === JSON.stringify(SCHEMA);
  return {
    description: `${own.description}\n\n${DESCRIPTION}`,
    headers: { ...HEADERS, ...own.headers },
    content: {
      'application/json': {
        schema: isSame || !schema ? SCHEMA : { anyOf: [schema, SCHEMA] },
        examples: { ...examples, ...EXAMPLES },
      },
    },
  };
}
