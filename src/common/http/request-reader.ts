import { type FieldFault, ValidationFailed } from '../errors';
import { type FieldShape, MalformedBody, type RequestShape } from './body-shape';
import { FormBody } from './form-body';
import { similarName } from './similar-name';

/** Unknown names of one request that are looked at. */
const MAX_UNKNOWN_NAMES = 100;

/** Where else in the API a name is read. */
export interface KnownElsewhere {
  /** Names with the route that reads them. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Where a field stands: its path in this request, and the same without positions. */
interface Place {
  readonly path: string;
  readonly pattern: string;
}

const ROOT: Place = { path: '', pattern: '' };

const join = (parent: string, name: string): string => (parent ? `${parent}.${name}` : name);

/**
 * Copies from a request what its DTO knows and leaves the rest untouched, so that nothing walks values that mean
 * nothing: no level, list or object is read that the DTO does not have.
 */
export class RequestReader {
  private readonly ignored = new Set<string>();
  private readonly faults: FieldFault[] = [];
  private readonly judged = new Map<string, string | undefined>();
  private readonly items = new Map<string, number>();
  private isForm = false;

  constructor(
    private readonly root: RequestShape,
    private readonly elsewhere: KnownElsewhere,
  ) {}

  /** Names of the fields that were ignored, without the positions of list entries. */
  get ignoredNames(): ReadonlySet<string> {
    return this.ignored;
  }

  /**
   * Reads a body. null means absent.
   * @throws MalformedBody, or ValidationFailed naming misplaced and misspelt fields and lists that are too long.
   */
  readBody(body: unknown): object {
    if (body === undefined || body === null || body === '') return {};
    if (typeof body !== 'object' || Array.isArray(body)) {
      throw new MalformedBody('The request body must be a JSON object');
    }
    this.isForm = body instanceof FormBody;
    return this.finish(this.readObject(body, this.root, ROOT));
  }

  /**
   * Reads a query. An empty value means absent.
   * @throws ValidationFailed naming misplaced and misspelt parameters.
   */
  readQuery(query: object): object {
    const given: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(query)) {
      const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter((each) => each !== '');
      if (values.length === 0) continue;
      given[name] = values.length === 1 ? values[0] : values;
      if (name.includes('[') && !this.root.isLenient) this.judgeBrackets(name);
    }
    return this.finish(this.readObject(given, this.root, ROOT));
  }

  /** Ignores all of a query, except what names a field of the body. */
  ignoreQuery(query: object, body: RequestShape | undefined): void {
    for (const [name, value] of Object.entries(query)) {
      if (value === '') continue;
      if (body && !body.isLenient && body.fields.has(name)) {
        this.fault(name, 'must stand in the request body, not in the query');
      } else this.ignored.add(name);
    }
    this.finish({});
  }

  private finish(read: object): object {
    if (this.faults.length > 0) throw new ValidationFailed(this.faults);
    return read;
  }

  private fault(field: string, text: string): void {
    this.faults.push({ field, message: `${field} ${text}` });
  }

  private readObject(raw: object, shape: RequestShape, place: Place): object {
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(raw) as [string, unknown][]) {
      if (value === null || value === undefined) continue;
      const field = shape.fields.get(name);
      if (field) read[name] = this.readField(value, field, below(place, name));
      else this.judge(name, shape, place);
    }
    return read;
  }

  private readField(value: unknown, field: FieldShape, place: Place): unknown {
    // A form writes a list of one element like a single field.
    if (this.isForm && field.isList && !Array.isArray(value)) return this.readField([value], field, place);
    if (!Array.isArray(value)) return this.readValue(value, field, place);
    const list = this.withinLimit(this.entriesOf(value, field), field, place);
    const { pattern } = place;
    return list.map((item, index) =>
      typeof item === 'object' || field.nested
        ? this.readEntry(item, field, { path: `${place.path}.${index}`, pattern })
        : item,
    );
  }

  /** A phone that lists nothing among its SIMs says all the same which it has. */
  private entriesOf(list: readonly unknown[], { nested }: FieldShape): readonly unknown[] {
    if (!nested || !this.root.isLenient) return list;
    return list.filter((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  }

  /** An entry that is no object is one without fields, so that it is refused by its place. */
  private readEntry(item: unknown, field: FieldShape, place: Place): unknown {
    const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
    return field.nested && !isObject ? {} : this.readValue(item, field, place);
  }

  private readValue(value: unknown, { nested }: FieldShape, place: Place): unknown {
    if (typeof value !== 'object' || value === null) return value;
    // What has the wrong type is refused by the rules of the field; its content is of no interest.
    if (Array.isArray(value)) return [];
    return nested ? this.readObject(value, nested, place) : {};
  }

  /** All lists at one place share its limit: the recipients of a bulk send are those of all its entries. */
  private withinLimit(list: readonly unknown[], field: FieldShape, place: Place): readonly unknown[] {
    const { maxItems, hasOwnLimit } = field;
    const before = this.items.get(place.pattern) ?? 0;
    const total = before + list.length;
    this.items.set(place.pattern, total);
    if (total <= maxItems) return list;
    if (this.root.isLenient && !hasOwnLimit) return list.slice(0, Math.max(0, maxItems - before));
    throw new ValidationFailed([
      {
        field: place.path,
        message: `${place.path} must not have more than ${maxItems} elements in one request; there are ${total}`,
      },
    ]);
  }

  private judge(name: string, shape: RequestShape, place: Place): void {
    const known = join(place.pattern, name);
    if (this.ignored.has(known)) return;
    if (this.root.isLenient) {
      if (this.ignored.size < MAX_UNKNOWN_NAMES) this.ignored.add(known);
      return;
    }
    if (!this.judged.has(known)) {
      if (this.judged.size === MAX_UNKNOWN_NAMES) {
        throw new MalformedBody(`The request has more than ${MAX_UNKNOWN_NAMES} unknown fields`);
      }
      this.judged.set(known, this.complaint(name, shape, place));
    }
    const complaint = this.judged.get(known);
    if (complaint === undefined) this.ignored.add(known);
    else this.fault(join(place.path, name), complaint);
  }

  /** What is wrong with an unknown name; undefined where it is only unknown. */
  private complaint(name: string, shape: RequestShape, place: Place): string | undefined {
    const levels = [...levelsOf(this.root)];
    const meant = similarName(name, [
      ...shape.fields.keys(),
      ...levels.flatMap(({ fields }) => [...fields.keys()]),
      ...this.elsewhere.fields.keys(),
    ]);
    if (meant === undefined) return undefined;
    if (shape.fields.has(meant)) {
      return `is not a field of this request; did you mean ${join(place.path, meant)}?`;
    }
    const level = levels.find(({ fields }) => fields.has(meant));
    return level
      ? `is misplaced; did you mean ${meant} ${whereIs(level, place)}?`
      : `is not a field of this request; did you mean ${meant} of ${this.elsewhere.fields.get(meant)}?`;
  }

  /** `status[]` and `filter[status]` are ways of other servers; ignored, they would widen a list. */
  private judgeBrackets(name: string): void {
    const meant = name.split(/[[\]]+/).find((part) => this.root.fields.has(part));
    if (meant !== undefined) this.fault(name, `is not read; did you mean ${meant}?`);
  }
}

const below = ({ path, pattern }: Place, name: string): Place => ({
  path: join(path, name),
  pattern: join(pattern, name),
});

interface Level {
  readonly pattern: string;
  readonly isList: boolean;
  readonly fields: ReadonlyMap<string, FieldShape>;
}

/** The objects a request is made of, the outermost first. */
function* levelsOf(shape: RequestShape, pattern = '', isList = false): Generator<Level> {
  yield { pattern, isList, fields: shape.fields };
  for (const [name, { nested, isList: isListed }] of shape.fields) {
    if (nested) yield* levelsOf(nested, join(pattern, name), isListed);
  }
}

function whereIs({ pattern, isList }: Level, place: Place): string {
  if (pattern === '') return `beside ${place.pattern.split('.')[0] ?? ''}`;
  return isList ? `in each entry of ${pattern}` : `in ${pattern}`;
}
