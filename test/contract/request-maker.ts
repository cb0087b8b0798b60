import type { OpenAPIObject } from '@nestjs/swagger';
import fc, { type Arbitrary } from 'fast-check';
import type { DescribedOperation } from './api-document';
import { hostileTexts, hostileValues, occasionally, toJson } from './hostile-values';

/** A raw request. */
export interface HostileRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The records of the account. */
export interface KnownIds {
  /** Ids by the path of their list, most frequently used first. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
  readonly others: readonly string[];
}

/** The schema keywords that the generator uses. */
interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

const ID = /^[\da-f]{24}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** Generates requests to the operations of an API document. */
export class RequestGenerator {
  constructor(private readonly document: OpenAPIObject) {}

  requestsTo({ path, operation }: DescribedOperation, known: KnownIds): Arbitrary<HostileRequest> {
    const parameters = (operation.parameters ?? []) as Parameter[];
    const queries = parameters.filter((parameter) => parameter.in === 'query');
    const media =
      operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : {};
    const schema = media['application/json']?.schema as Schema | undefined;
    return fc
      .record({
        path: this.paths(path, known),
        query: this.queries(queries, known),
        headers: headers(parameters.some(({ name }) => name === 'Idempotency-Key')),
        body: schema ? this.bodies(schema, known) : occasionally(hostileValues.map(toJson), 8),
      })
      .map(({ query, ...request }) => ({ ...request, path: request.path + (query && `?${query}`) }));
  }

  private paths(template: string, known: KnownIds): Arbitrary<string> {
    const steps = template.split('/');
    const strange = fc.oneof(hostileTexts.map(encoded), fc.constantFrom('%', '%E0%A4%A', '%00', '..', '.'));
    const id = (list: string) => {
      const [first = '', ...rest] = known.listed.get(list) ?? [];
      return fc.oneof(
        { arbitrary: first ? fc.constant(first) : fc.constantFrom(...known.others), weight: 24 },
        { arbitrary: fc.constantFrom(...rest, ...known.others), weight: 3 },
        { arbitrary: strange, weight: 1 },
      );
    };
    const arbitraries = steps.map((step, index) =>
      step.startsWith('{') ? id(steps.slice(0, index).join('/')) : fc.constant(step),
    );
    return fc.tuple(...arbitraries).map((all) => all.join('/').slice(0, 8_000));
  }

  private queries(parameters: readonly Parameter[], known: KnownIds): Arbitrary<string> {
    const one = ({ name, schema = {} }: Parameter) => {
      const good = this.good(schema, known).map((value) => `${name}=${encoded(String(value))}`);
      const hostile = hostileTexts.map((text) => `${name}=${encoded(text).slice(0, 4_000)}`);
      const odd = fc
        .constantFrom('[$ne]=', '[$gt]', '[]=x', '[0]=x', '[__proto__][x]=1', '[a][b]=1', '')
        .map((end) => name + end);
      return fc.oneof(
        { arbitrary: fc.constant(''), weight: 20 },
        { arbitrary: good, weight: 6 },
        { arbitrary: hostile, weight: 2 },
        { arbitrary: odd, weight: 1 },
        { arbitrary: fc.tuple(good, hostile).map((both) => both.join('&')), weight: 1 },
      );
    };
    const strange = fc.constantFrom(
      '',
      '',
      '',
      '__proto__[polluted]=true',
      'constructor.prototype.polluted=1',
      '&&=&%',
      '$where=1',
    );
    return fc
      .tuple(...parameters.map(one), strange)
      .map((all) => all.filter(Boolean).join('&').slice(0, 12_000));
  }

  private bodies(schema: Schema, known: KnownIds): Arbitrary<string | undefined> {
    const good = this.good(schema, known).map(toJson);
    const broken = fc.tuple(good, fc.nat()).map(([text, cut]) => text.slice(0, cut % (text.length + 1)));
    return fc.oneof(
      { arbitrary: good, weight: 4 },
      { arbitrary: this.amiss(schema, known).map(toJson), weight: 10 },
      { arbitrary: this.wild(schema, known).map(toJson), weight: 3 },
      { arbitrary: hostileValues.map(toJson), weight: 1 },
      { arbitrary: broken, weight: 1 },
      { arbitrary: fc.oneof(hostileTexts, fc.constant(undefined)), weight: 1 },
    );
  }

  /** A valid value. */
  private good(schema: Schema, known: KnownIds): Arbitrary<unknown> {
    const {
      properties,
      items,
      type,
      examples: [example] = [],
      enum: choices,
      ...range
    } = this.resolve(schema);
    if (properties) return fc.record(this.each(properties, (field) => this.good(field, known)));
    if (items) return fc.array(this.good(itemOf(schema, items), known), { minLength: 1, maxLength: 3 });
    if (choices) return fc.constantFrom(...choices);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer' || type === 'number') {
      const { minimum: min = 0, maximum: max = 1e12 } = range;
      return fc.oneof(fc.integer({ min, max }), fc.constant(example ?? min));
    }
    if (typeof example !== 'string') return fc.string({ unit: 'grapheme' });
    if (ID.test(example)) return fc.constantFrom(...known.others);
    // Example times are in the past, which sends reject.
    if (TIME.test(example)) return fc.constant(new Date(Date.now() + 3_600_000).toISOString());
    return fc.oneof({ arbitrary: fc.constant(example), weight: 15 }, fc.string({ unit: 'grapheme' }));
  }

  /** A valid value except in one place. */
  private amiss(schema: Schema, known: KnownIds): Arbitrary<unknown> {
    const { properties, items } = this.resolve(schema);
    if (items)
      return fc.oneof(
        hostileValues,
        this.amiss(itemOf(schema, items), known).map((item) => [item]),
      );
    if (!properties) return hostileValues;
    const places = Object.entries(properties).map(([name, field]) =>
      fc.oneof(hostileValues, this.amiss(field, known)).map((value) => ({ [name]: value })),
    );
    const unknown = fc
      .tuple(fc.constantFrom('$where', 'user', '_id', 'constructor', 'a.b', ''), hostileValues)
      .map((field) => Object.fromEntries([field]));
    const without = fc.constantFrom(...Object.keys(properties)).map((name) => ({ [name]: undefined }));
    return fc
      .tuple(this.good(schema, known), fc.oneof(...places, unknown, without))
      .map(([good, place]) => ({ ...(good as object), ...place }));
  }

  /** An object with the fields of the schema, some of them valid. */
  private wild(schema: Schema, known: KnownIds): Arbitrary<unknown> {
    const { properties, items } = this.resolve(schema);
    if (items) return fc.array(this.wild(itemOf(schema, items), known), { maxLength: 4 });
    if (!properties) return fc.oneof({ arbitrary: this.good(schema, known), weight: 5 }, hostileValues);
    return fc.record(
      this.each(properties, (field) => this.wild(field, known)),
      { requiredKeys: [] },
    );
  }

  private each<T>(
    properties: Readonly<Record<string, Schema>>,
    make: (field: Schema) => Arbitrary<T>,
  ): Record<string, Arbitrary<T>> {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, make(field)]));
  }

  private resolve(schema: Schema): Schema {
    if (schema.properties) return schema; // the siblings only list required fields
    const [first = schema] = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
    if (first.$ref === undefined) return first === schema ? schema : this.resolve(first);
    const name = first.$ref.split('/').at(-1) ?? '';
    return this.resolve((this.document.components?.schemas?.[name] ?? {}) as Schema);
  }
}

/** An array element, whose example may be on the array. */
function itemOf({ examples: [list] = [] }: Schema, items: Schema): Schema {
  return Array.isArray(list) && list.length > 0 ? { ...items, examples: list } : items;
}

/** Percent-encodes every byte, so that any text fits into a URL. */
function encoded(text: string): string {
  return [...Buffer.from(text.slice(0, 4_000))]
    .map((byte) =>
      /[\w.-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}

function headers(takesIdempotencyKey: boolean): Arbitrary<Record<string, string>> {
  const contentType = fc.constantFrom(
    ...['application/json', 'text/plain', 'application/json; charset=utf-16', 'nonsense'],
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=x',
    ],
  );
  const encoding = fc.constantFrom('gzip', 'br', 'identity', 'x');
  const key = fc.constantFrom('order-1', '', ' ', 'x'.repeat(300), 'é', '{"$gt":""}', '$where');
  return fc
    .tuple(
      occasionally(contentType, 8),
      occasionally(encoding, 30),
      takesIdempotencyKey ? occasionally(key, 5) : fc.constant(undefined),
    )
    .map(([type, coding, idempotencyKey]) => ({
      ...(type && { 'content-type': type }),
      ...(coding && { 'content-encoding': coding }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }));
}
