import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Outline } from './field-table';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type ResponseObject = Extract<Operation['responses'][string], { description: string }>;
type Media = NonNullable<ResponseObject['content']>[string];
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;

export interface DescribedOperation {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
}

/** Response headers of the API, which must be documented. */
const OWN_HEADERS = /^(retry-after|ratelimit-.*|idempotency-.*)$/;

/** Responses of all authenticated operations, which a separate test covers. */
const RATE_LIMITED = '429 RATE_LIMITED';

/** Request headers that need no documentation. */
const TRANSPORT_HEADERS = new Set(['host', 'connection', 'content-type', 'content-length', 'user-agent']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies the schemas without additional properties. */
function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict);
  if (!isObject(node)) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, strict(value)]));
  if (typeof node.$ref === 'string') closed.$ref = `document${node.$ref}`;
  if (isObject(node.properties)) closed.additionalProperties = false;
  return closed;
}

const codeOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body.code === 'string' ? body.code : undefined;

/** Validates responses against the OpenAPI document and records which documented ones occurred. */
export class ApiDocument {
  readonly operations: readonly DescribedOperation[];
  private readonly ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  private readonly validators = new Map<object, ValidateFunction>();
  private readonly seen = new Set<string>();

  constructor(readonly json: OpenAPIObject) {
    addFormats(this.ajv);
    this.ajv.addVocabulary(['components', 'x-enumNames']);
    this.ajv.addSchema({ $id: 'document', components: strict(json.components) });
    this.operations = Object.entries(json.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        return operation ? [{ id: operation.operationId ?? '', method, path, operation }] : [];
      }),
    );
  }

  find(id: string): DescribedOperation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`The document has no operation ${id}`);
    return found;
  }

  /** Whether the operation documents an error with this code. */
  documents(id: string, status: number, code: string): boolean {
    const content = this.responsesOf(id).get(String(status))?.content ?? {};
    return Object.values(content).some(({ examples = {} }) => code in examples);
  }

  /** Where a response differs from the document. */
  responseErrors(id: string, answer: Answer): string[] {
    const described = this.responsesOf(id).get(String(answer.status));
    if (!described) return [`status ${answer.status} is not documented: ${JSON.stringify(answer.body)}`];
    const [type = '', media] = Object.entries(described.content ?? {}).at(0) ?? [];
    const errors = [
      ...this.headerErrors(described, answer),
      ...this.codeErrors(media, answer),
      ...this.schemaErrors(media?.schema, answer.body, 'body'),
    ];
    if (answer.headers['content-type']?.split(';', 1).join('') !== type)
      errors.push(`content type ${answer.headers['content-type'] ?? ''} is not ${type}`);
    if (errors.length === 0) this.seen.add(labelOf(id, answer.status, codeOf(answer.body)));
    return errors;
  }

  /** Where a posted event differs from the document. */
  eventErrors(event: string, posted: { headers: Answer['headers']; body: unknown }): string[] {
    const parameters = this.parametersOf(event);
    const known = new Map(parameters.map((parameter) => [parameter.name.toLowerCase(), parameter]));
    return [
      ...this.schemaErrors(this.payloadSchema(event), posted.body, 'body'),
      ...Object.entries(posted.headers).flatMap(([name, value]) => {
        const parameter = known.get(name);
        if (parameter) return this.schemaErrors(parameter.schema, value, `header ${name}`);
        return TRANSPORT_HEADERS.has(name) ? [] : [`header ${name} is not documented`];
      }),
      ...[...known.values()]
        .filter(({ name, required }) => required && posted.headers[name.toLowerCase()] === undefined)
        .map(({ name }) => `header ${name} is missing`),
    ];
  }

  /** The documented responses of these operations that did not occur yet. */
  unseenOf(ids: readonly string[]): string[] {
    return ids
      .flatMap((id) =>
        [...this.responsesOf(id)].flatMap(([status, response]) => labelsOf(id, status, response)),
      )
      .filter((label) => !this.seen.has(label) && !label.endsWith(RATE_LIMITED));
  }

  /** The fields of a component with their types. */
  outlineOf(name: string): Outline {
    return this.outline({ $ref: `#/components/schemas/${name}` });
  }

  /** The fields of an event payload with their types. */
  eventOutlineOf(event: string): Outline {
    return this.outline(this.payloadSchema(event));
  }

  /** The example of an event payload. */
  eventExample(event: string): { headers: Answer['headers']; body: unknown } {
    const { properties = {} } = this.dereference(this.payloadSchema(event));
    const shown = ([name, { examples }]: [string, SchemaLike]) => [name, [examples].flat()[0]] as const;
    return {
      body: Object.fromEntries(Object.entries(properties).map(shown)),
      headers: Object.fromEntries(
        this.parametersOf(event).map(({ name, schema = {} }) =>
          shown([name.toLowerCase(), schema as SchemaLike]),
        ),
      ) as Answer['headers'],
    };
  }

  private parametersOf(event: string): Parameter[] {
    return (this.webhook(event).parameters ?? []).map((parameter) =>
      '$ref' in parameter ? (this.resolve(parameter.$ref) as Parameter) : parameter,
    );
  }

  private webhook(event: string): Operation {
    const operation = this.json.webhooks?.[event]?.post;
    if (!operation) throw new Error(`The document has no webhook ${event}`);
    return operation;
  }

  private payloadSchema(event: string): SchemaLike {
    const { requestBody } = this.webhook(event);
    const schema = requestBody && 'content' in requestBody && requestBody.content['application/json']?.schema;
    if (!schema) throw new Error(`The document does not say what ${event} posts`);
    return schema;
  }

  /** The documented responses of an operation by status. */
  responsesOf(id: string): Map<string, ResponseObject> {
    return new Map(
      Object.entries(this.find(id).operation.responses).flatMap(([status, response]) => {
        if (!response) return [];
        return [[status, '$ref' in response ? (this.resolve(response.$ref) as ResponseObject) : response]];
      }),
    );
  }

  private resolve(reference: string): object {
    const steps = reference.replace(/^#\//, '').split('/');
    const found = steps.reduce<unknown>((node, step) => (isObject(node) ? node[step] : undefined), this.json);
    if (!isObject(found)) throw new Error(`The document has no ${reference}`);
    return found;
  }

  private headerErrors({ headers = {} }: ResponseObject, answer: Answer): string[] {
    const known = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
    return Object.entries(answer.headers).flatMap(([name, value]) => {
      const header = known.get(name);
      if (!header) return OWN_HEADERS.test(name) ? [`header ${name} is not documented`] : [];
      const schema = 'schema' in header ? header.schema : undefined;
      const isInteger = schema && 'type' in schema && schema.type === 'integer';
      return this.schemaErrors(schema, isInteger ? Number(value) : value, `header ${name}`);
    });
  }

  /** The error codes of an operation are the names of its examples; the 401 has one body only. */
  private codeErrors(media: Media | undefined, { status, body }: Answer): string[] {
    if (status < 400) return [];
    if (media?.example !== undefined) {
      return JSON.stringify(body) === JSON.stringify(media.example)
        ? []
        : ['the body is not the one there is'];
    }
    const code = codeOf(body) ?? 'none';
    return code in (media?.examples ?? {}) ? [] : [`code ${code} is not documented for ${status}`];
  }

  private schemaErrors(schema: object | undefined, value: unknown, what: string): string[] {
    if (!schema) return [`${what} has no schema`];
    const validate = this.validators.get(schema) ?? this.ajv.compile(strict(schema) as object);
    this.validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${what}${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  private outline(schema: SchemaLike): Outline {
    const { properties = {}, required = [] } = this.dereference(schema);
    return Object.fromEntries(
      Object.entries(properties).map(([field, reference]) => {
        const property = this.dereference(reference);
        const item = property.items ? this.dereference(property.items) : property;
        const kind = item.properties
          ? this.outline(item)
          : (item.enum?.map(String).sort().join('|') ?? item.format ?? plainType(item.type));
        const marks = `${required.includes(field) ? '' : '?'}${property.items ? '[]' : ''}`;
        return [field + marks, kind ?? 'none'];
      }),
    );
  }

  private dereference(schema: SchemaLike): SchemaLike {
    const [reference = schema.$ref] = (schema.allOf ?? []).map(({ $ref }) => $ref);
    return reference ? this.resolve(reference) : schema;
  }
}

/** The schema keywords that field outlines use. */
interface SchemaLike {
  readonly $ref?: string;
  readonly allOf?: readonly SchemaLike[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: unknown;
  readonly items?: SchemaLike;
  readonly properties?: Readonly<Record<string, SchemaLike>>;
  readonly required?: readonly string[];
}

/** Field tables have `number` for integers too. */
const plainType = (type: SchemaLike['type']): string | undefined =>
  type === undefined ? undefined : [type].flat().join('|').replace('integer', 'number');

const labelOf = (id: string, status: number | string, code?: string): string =>
  [id, status, ...(code ? [code] : [])].join(' ');

function labelsOf(id: string, status: string, { content = {} }: ResponseObject): string[] {
  return Object.values(content).flatMap(({ example, examples = {} }) => {
    const codes = Number(status) < 400 ? [] : Object.keys(examples);
    return codes.length > 0
      ? codes.map((code) => labelOf(id, status, code))
      : [labelOf(id, status, codeOf(example))];
  });
}
