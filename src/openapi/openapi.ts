import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RATE_LIMITED, withRateLimit } from '../auth/http/rate-limit.openapi';
import { UnauthorizedResponse } from '../common/http/responses/error.response';
import { API_VERSION } from '../common/version';
import { toOpenApi31 } from './openapi-31';
import { withRequestExamples, withRequiredAlternatives } from './openapi-requests';
import { EVENT_COMPONENTS, EVENT_WEBHOOKS } from '../webhooks/events/http/event.openapi';

/** Operation groups, in display order. */
const TAGS = [
  ['Sending', 'Sending texts, and asking beforehand how long it takes.'],
  ['Messages', 'The history of messages, what became of each, what waits, totals and saved filters.'],
  ['Batches', 'The messages of one send: their progress; pausing, rescheduling and cancelling them.'],
  ['Conversations', 'The messages with one number.'],
  ['Contacts', 'The people that the account writes to, and lists of them.'],
  ['Consent', 'Who wants no more messages, in which words they said so, and what that stops.'],
  ['Phones', 'Pairing phones, what is wrong with them, and the calls of the app on the phone.'],
  ['SIMs and pools', 'Limits of SIMs, and several of them as one sender.'],
  ['Webhooks', 'Where events are sent, and what became of them.'],
  ['Account', 'Registration, sessions, API keys, the plan, and a stream of changes.'],
  ['Operations', 'All accounts, for those who run the service.'],
] as const;

const DESCRIPTION = `
Sends and receives SMS through Android phones that are paired with an account.

**Authentication.** Every request carries an API key in the header \`x-api-key\`. A missing, wrong or revoked key gets a 401
response. A signed-in person sends the \`accessToken\` of the session instead, as \`authorization: Bearer\`. To test a
key, read the account totals (\`GET /api/v1/gateway/stats\`).

**Responses.** A success is an object with the result under \`data\` (the phones' heartbeat alone has no envelope). Times are
ISO 8601. Fields that are not marked as required may be absent.

**Events.** What happens to messages is posted to the webhook subscriptions of the account; the webhooks below describe
the requests, and what each response means.

**Errors.** Every error except 401 has the same body: \`error\` and \`message\` are texts for people, \`code\` is for programs,
and \`details\` names the invalid fields. Each operation lists its error codes. Any operation can also return:

| Status | Code | Meaning |
|---|---|---|
| 429 | \`RATE_LIMITED\` | Too many requests a minute with this key, or without a valid one from this address; what phones report and upload is counted against no key |
| 500 | \`INTERNAL_ERROR\` | A fault of the service. Repeat the request later; if it fails again, report it with the header \`X-Request-Id\` of the response |
| 503 | \`UNAVAILABLE\` | The database cannot be reached at the moment; try again shortly |
`.trim();

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const operationsOf = (item: PathItem): Operation[] => METHODS.flatMap((method) => item[method] ?? []);

/** Public routes have an empty security requirement. */
const needsAccount = ({ security }: Operation): boolean =>
  !security?.some((requirement) => Object.keys(requirement).length === 0);

/** A handler can serve a second path for older clients, which needs its own operationId. */
function markAliases(operations: readonly Operation[]): void {
  const names = new Set<string>();
  for (const operation of operations) {
    const name = operation.operationId ?? '';
    if (names.has(name)) {
      operation.operationId = `${name}Alias`;
      operation.summary = `${operation.summary ?? name} (the path older apps use)`;
      operation.deprecated = true;
    }
    names.add(name);
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** By tag, then by path. */
function byTagAndPath([path, item]: [string, PathItem], [otherPath, other]: [string, PathItem]): number {
  return rankOf(item) - rankOf(other) || byText(path, otherPath);
}

function rankOf(item: PathItem): number {
  const tags = new Set(operationsOf(item).flatMap(({ tags = [] }) => tags));
  return TAGS.findIndex(([name]) => tags.has(name));
}

/** Builds the OpenAPI document, for `openapi.json`. The application need not be initialised. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Messaging Gateway API')
    .setDescription(DESCRIPTION)
    .setVersion(API_VERSION)
    .addServer('/', 'The service this document comes from')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A key of the account' },
      'apiKey',
    )
    .addBearerAuth({ type: 'http', description: 'The accessToken of a signed-in person' }, 'session')
    .addSecurityRequirements('apiKey')
    .addSecurityRequirements('session');
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [UnauthorizedResponse],
    autoTagControllers: false,
  });
  const operations = Object.values(document.paths).flatMap(operationsOf);
  for (const operation of operations) {
    const refused = operation.responses['401'];
    if (needsAccount(operation) || (refused && !('content' in refused))) {
      operation.responses['401'] = { $ref: '#/components/responses/Unauthorized' };
    }
    if (needsAccount(operation)) operation.responses['429'] = withRateLimit(operation.responses['429']);
  }
  markAliases(operations);
  withRequestExamples(operations);
  const { openapi, info, servers, security, tags, components } = document;
  const schemas = Object.entries({
    ...withRequiredAlternatives(components?.schemas ?? {}),
    ...EVENT_COMPONENTS.schemas,
  });
  return toOpenApi31({
    openapi,
    info,
    servers,
    security,
    tags,
    paths: Object.fromEntries(Object.entries(document.paths).sort(byTagAndPath)),
    webhooks: EVENT_WEBHOOKS,
    components: {
      ...components,
      responses: { RateLimited: RATE_LIMITED, Unauthorized: UNAUTHORIZED, ...EVENT_COMPONENTS.responses },
      parameters: EVENT_COMPONENTS.parameters,
      schemas: Object.fromEntries(schemas.sort(([one], [other]) => byText(one, other))),
    },
  });
}

const UNAUTHORIZED = {
  description: 'The key is missing, wrong or revoked; do not repeat the request unchanged.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/UnauthorizedResponse' },
      example: { error: 'Unauthorized', code: 'AUTH_INVALID' },
    },
  },
};
