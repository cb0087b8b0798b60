import { FieldErrors, ValidationFailed } from '../../errors';
import { forEachInSlices } from '../../slices';
import { type FieldShape, MalformedBody, type RequestShape } from './request-shape';
import { FormBody } from './form-body';
import { plainFieldName, similarName } from './similar-name';

const MAX_UNKNOWN_NAMES = 100;

/** Of a list of objects; a longer one is read in slices. */
const MAX_ENTRIES_AT_ONCE = 20;

/** Field names of other routes, each with a route that has the field. */
export type FieldsOfOtherRoutes = ReadonlyMap<string, string>;

interface FieldPath {
  readonly path: string;
  /** The path without list positions. */
  readonly pattern: string;
}

/** A list of objects that is read after the others. */
interface LongList {
  readonly list: readonly unknown[];
  readonly field: FieldShape;
  readonly at: FieldPath;
  /** Those that are read. */
  readonly entries: unknown[];
}

/** Keys that class-transformer drops. */
const UNSAFE_KEYS: readonly string[] = ['__proto__', 'constructor'];

const ROOT: FieldPath = { path: '', pattern: '' };

const join = (parent: string, name: string): string => (parent ? `${parent}.${name}` : name);

/**
 * Copies the fields of a request that its DTO declares. Other values are never traversed, however deep or long they are.
 * An unknown field that looks misspelt or misplaced is rejected; any other is ignored.
 */
export class RequestReader {
  private readonly ignored = new Set<string>();
  private readonly errors = new FieldErrors();
  /** The error of each unknown field, or undefined if it is ignored. */
  private readonly unknownFields = new Map<string, string | undefined>();
  private readonly itemCounts = new Map<string, number>();
  private readonly longLists: LongList[] = [];
  private isForm = false;

  constructor(
    private readonly root: RequestShape,
    private readonly fieldsOfOtherRoutes: FieldsOfOtherRoutes,
  ) {}

  /** Names of ignored fields, without list positions. */
  get ignoredNames(): ReadonlySet<string> {
    return this.ignored;
  }

  /**
   * Reads a body; null counts as absent.
   * @throws MalformedBody, or ValidationFailed for misplaced and misspelt fields and for lists that are too long.
   */
  async readBody(body: unknown): Promise<object> {
    if (body === undefined || body === null || body === '') return {};
    if (typeof body !== 'object' || Array.isArray(body)) {
      throw new MalformedBody('The request body must be a JSON object');
    }
    this.isForm = body instanceof FormBody;
    const read = this.readObject(body, this.root, ROOT);
    for (const { list, field, at, entries } of this.longLists)
      await forEachInSlices(list, (item, index) => {
        entries.push(this.readItem(item, index, field, at));
      });
    return this.finish(read);
  }

  /**
   * Reads a query; an empty value counts as absent.
   * @throws ValidationFailed for misplaced and misspelt parameters.
   */
  readQuery(query: object): object {
    const given: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(query)) {
      const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter((each) => each !== '');
      if (values.length === 0) continue;
      given[name] = values.length === 1 ? values[0] : values;
      if (name.includes('[') && !this.root.isFromPhone) this.checkBrackets(name);
    }
    return this.finish(this.readObject(given, this.root, ROOT));
  }

  /** Ignores the query of a route without parameters. @throws ValidationFailed for a field that belongs in the body. */
  ignoreQuery(query: object, body: RequestShape | undefined): void {
    for (const [name, value] of Object.entries(query)) {
      if (value === '') continue;
      if (body && !body.isFromPhone && body.fields.has(name)) {
        this.errors.add(name, 'must be in the request body, not in the query');
      } else this.ignored.add(name);
    }
    this.finish({});
  }

  private finish(read: object): object {
    this.errors.throwIfAny();
    return read;
  }

  private readObject(raw: object, shape: RequestShape, at: FieldPath): object {
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(raw) as [string, unknown][]) {
      const field = shape.fields.get(name);
      if (value === undefined || (value === null && !field?.acceptsNull)) continue;
      if (field) read[name] = this.readField(value, field, childOf(at, name));
      else this.checkUnknownField(name, shape, at);
    }
    return read;
  }

  private readField(value: unknown, field: FieldShape, at: FieldPath): unknown {
    // In a form, a list of one element looks like a single field.
    if (this.isForm && field.isList && !Array.isArray(value)) return this.readField([value], field, at);
    if (!Array.isArray(value)) return this.readValue(value, field, at);
    const list = this.limitItems(this.entriesOf(value, field), field, at);
    if (field.nested && list.length > MAX_ENTRIES_AT_ONCE) {
      const entries: unknown[] = [];
      this.longLists.push({ list, field, at, entries });
      return entries;
    }
    return list.map((item, index) => this.readItem(item, index, field, at));
  }

  private readItem(item: unknown, index: number, field: FieldShape, { path, pattern }: FieldPath): unknown {
    return typeof item === 'object' || field.nested
      ? this.readEntry(item, field, { path: `${path}.${index}`, pattern })
      : item;
  }

  /** Phones can send null entries in a list of objects, such as their SIMs. */
  private entriesOf(list: readonly unknown[], { nested }: FieldShape): readonly unknown[] {
    if (!nested || !this.root.isFromPhone) return list;
    return list.filter((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  }

  /** An entry that is not an object is read as an empty one, so that validation reports its path. */
  private readEntry(item: unknown, field: FieldShape, at: FieldPath): unknown {
    const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
    return field.nested && !isObject ? {} : this.readValue(item, field, at);
  }

  private readValue(
    value: unknown,
    { nested, dictionary, primitiveType }: FieldShape,
    at: FieldPath,
  ): unknown {
    if (this.isForm && typeof value === 'string') return convertText(value, primitiveType);
    if (typeof value !== 'object' || value === null) return value;
    // A value of the wrong type is rejected by validation, whatever its content.
    if (Array.isArray(value)) return [];
    if (dictionary) return this.readDictionary(value, dictionary, at);
    return nested ? this.readObject(value, nested, at) : {};
  }

  private readDictionary(
    value: object,
    { maxKeys, maxItems }: NonNullable<FieldShape['dictionary']>,
    at: FieldPath,
  ): object {
    const entries = Object.entries(value) as [string, unknown][];
    if (entries.length > maxKeys) this.errors.add(at.path, `must not have more than ${maxKeys} keys`);
    const read = entries.slice(0, maxKeys).map(([key, list]) => {
      if (UNSAFE_KEYS.includes(key)) this.errors.add(join(at.path, key), 'is not allowed');
      if (!Array.isArray(list)) return [key, typeof list === 'object' ? {} : list] as const;
      if (list.length > maxItems)
        this.errors.add(join(at.path, key), `must not have more than ${maxItems} elements`);
      return [
        key,
        list.slice(0, maxItems).map((item: unknown) => (typeof item === 'object' ? {} : item)),
      ] as const;
    });
    // Not by assignment, because a key may be `__proto__`.
    return Object.fromEntries(read);
  }

  /** Lists with the same pattern share one limit: a bulk send counts the recipients of all entries. */
  private limitItems(list: readonly unknown[], field: FieldShape, at: FieldPath): readonly unknown[] {
    const { maxItems, hasOwnLimit } = field;
    const before = this.itemCounts.get(at.pattern) ?? 0;
    const total = before + list.length;
    this.itemCounts.set(at.pattern, total);
    if (total <= maxItems) return list;
    if (this.root.isFromPhone && !hasOwnLimit) return list.slice(0, Math.max(0, maxItems - before));
    throw ValidationFailed.of(
      at.path,
      `must not have more than ${maxItems} elements in one request; there are ${total}`,
    );
  }

  private checkUnknownField(name: string, shape: RequestShape, parent: FieldPath): void {
    const pattern = join(parent.pattern, name);
    if (this.ignored.has(pattern)) return;
    if (this.root.isFromPhone) {
      if (this.ignored.size < MAX_UNKNOWN_NAMES) this.ignored.add(pattern);
      return;
    }
    if (!this.unknownFields.has(pattern)) {
      if (this.unknownFields.size === MAX_UNKNOWN_NAMES) {
        throw new MalformedBody(`The request has more than ${MAX_UNKNOWN_NAMES} unknown fields`);
      }
      this.unknownFields.set(pattern, this.errorOfUnknownField(name, shape, parent));
    }
    const error = this.unknownFields.get(pattern);
    if (error === undefined) this.ignored.add(pattern);
    else this.errors.add(join(parent.path, name), error);
  }

  private errorOfUnknownField(name: string, shape: RequestShape, parent: FieldPath): string | undefined {
    const { readOnlyFields } = this.root;
    if (readOnlyFields?.includes(name)) return undefined;
    return this.correctionOf(name, shape, parent) ?? (readOnlyFields && 'is not a field of this request');
  }

  /** @returns undefined if no field has a similar name. */
  private correctionOf(name: string, shape: RequestShape, parent: FieldPath): string | undefined {
    const levels = [...levelsOf(this.root)];
    const similar =
      this.root.foreignNames?.get(plainFieldName(name)) ??
      similarName(
        name,
        [...shape.fields.keys(), ...levels.flatMap(({ fields }) => [...fields.keys()])],
        [...this.fieldsOfOtherRoutes.keys()],
      );
    if (similar === undefined) return undefined;
    if (shape.fields.has(similar)) {
      return `is not a field of this request; did you mean ${join(parent.path, similar)}?`;
    }
    const level = levels.find(({ fields }) => fields.has(similar));
    return level
      ? `is misplaced; did you mean ${similar} ${positionOf(level, parent)}?`
      : `is not a field of this request; did you mean ${similar} of ${this.fieldsOfOtherRoutes.get(similar)}?`;
  }

  /** Rejects `status[]` and `filter[status]`, the syntax of other APIs: an ignored filter would widen a list. */
  private checkBrackets(name: string): void {
    const field = name.split(/[[\]]+/).find((part) => this.root.fields.has(part));
    if (field !== undefined) this.errors.add(name, `is not supported; did you mean ${field}?`);
  }
}

/** Converts a form value; validation rejects one that is not a number or boolean. */
function convertText(text: string, type: FieldShape['primitiveType']): unknown {
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

const childOf = ({ path, pattern }: FieldPath, name: string): FieldPath => ({
  path: join(path, name),
  pattern: join(pattern, name),
});

interface Level {
  readonly pattern: string;
  readonly isList: boolean;
  readonly fields: ReadonlyMap<string, FieldShape>;
}

/** All objects of the shape, the outermost first. */
function* levelsOf(shape: RequestShape, pattern = '', isList = false): Generator<Level> {
  yield { pattern, isList, fields: shape.fields };
  for (const [name, { nested, isList: isListed }] of shape.fields) {
    if (nested && !nested.isUnsuggested) yield* levelsOf(nested, join(pattern, name), isListed);
  }
}

function positionOf({ pattern, isList }: Level, parent: FieldPath): string {
  if (pattern === '') return `beside ${parent.pattern.split('.')[0] ?? ''}`;
  return isList ? `in each entry of ${pattern}` : `in ${pattern}`;
}
