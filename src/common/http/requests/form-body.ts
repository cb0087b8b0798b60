import { inSlices } from '../../slices';
import { MalformedBody } from './request-shape';

export type FormValue = string | FormValue[] | FormBody;

/** A parsed form. Its values are texts, which the RequestReader converts by the DTO. */
export class FormBody {
  [field: string]: FormValue;
}

/** More than the largest bulk send needs. */
const MAX_FIELDS = 50_000;

/** Of one list or object: as many entries as the largest bulk send has, and fields beside them. */
const MAX_FIELDS_PER_OBJECT = 10_100;

/** Of the form, that are parsed at once; at least one field. */
const CHUNK_LENGTH = 4_096;

/** Brackets of a name: `messages[0][recipients][0]`, the deepest field of the API, has three. */
const MAX_LEVELS = 4;

export const isFormType = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);

/**
 * Parses `a=1`, `a=1&a=2` and `a[]=1` (lists), `a[0][b]=1` (a list of objects, ordered by index) and `a[b]=1`, in slices.
 * @throws MalformedBody
 */
export function parseForm(text: string): Promise<FormBody> {
  return inSlices(formSteps(text));
}

function* formSteps(text: string): Generator<undefined, FormBody> {
  assertFewFields(text);
  const root = new FormNode();
  for (const chunk of chunksOf(text)) {
    for (const [name, value] of new URLSearchParams(chunk))
      root.add(parseFieldName(name), restorePlus(value));
    yield;
  }
  const body = new FormBody();
  yield* root.writeTo(body);
  return body;
}

/** Counted before anything is built. */
function assertFewFields(text: string): void {
  let count = 1;
  for (let end = text.indexOf('&'); end >= 0; end = text.indexOf('&', end + 1)) {
    count += 1;
    if (count > MAX_FIELDS) throw new MalformedBody(`The form has more than ${MAX_FIELDS} fields`);
  }
}

/** Parts of a form, each with whole fields; further ones with the & before them. */
function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const separator = text.indexOf('&', start + CHUNK_LENGTH);
    const end = separator < 0 ? text.length : separator;
    yield text.slice(start, end);
    start = end;
  }
}

/** Restores the + of a phone number: a + that is not encoded as %2B is decoded as a space. */
const restorePlus = (value: string): string => value.replace(/^ (?=\d{6,15}$)/, '+');

/** `a[0][b]` becomes `a`, `0`, `b`. A name with other brackets is used unchanged. */
function parseFieldName(name: string): string[] {
  const match = /^([^[\]]+)\[(.*)\]$/s.exec(name);
  if (!match) return [name];
  const [, first = '', inner = ''] = match;
  const names = inner.split('][', MAX_LEVELS + 1);
  return names.length > MAX_LEVELS || names.some((each) => /[[\]]/.test(each)) ? [name] : [first, ...names];
}

class FormNode {
  private readonly texts: string[] = [];
  private readonly fields = new Map<string, FormNode>();
  private isList = false;

  add([field = '', ...path]: readonly string[], value: string): void {
    this.child(field).put(path, value, field);
  }

  private put([name, ...path]: readonly string[], value: string, field: string): void {
    if (name !== undefined && name !== '') {
      this.child(name).put(path, value, field);
      return;
    }
    if (path.length > 0) {
      throw new MalformedBody(
        `Number the entries of a list of objects: ${field}[0], ${field}[1] and so on, or send JSON with Content-Type: application/json`,
      );
    }
    if (name === '') this.isList = true;
    this.texts.push(value);
  }

  private child(name: string): FormNode {
    const child = this.fields.get(name) ?? new FormNode();
    this.fields.set(name, child);
    if (this.fields.size > MAX_FIELDS_PER_OBJECT)
      throw new MalformedBody(
        `The form has an object or list with more than ${MAX_FIELDS_PER_OBJECT} fields`,
      );
    return child;
  }

  *writeTo(target: object): Generator<undefined, void> {
    for (const [name, node] of this.fields) {
      const value = yield* node.valueOf(name);
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
    }
  }

  private *valueOf(name: string): Generator<undefined, FormValue> {
    if (this.fields.size === 0) {
      const [first = ''] = this.texts;
      return this.isList || this.texts.length > 1 ? this.texts : first;
    }
    if (this.texts.length > 0)
      throw new MalformedBody(`${name} is sent both as a value and as an object; send one`);
    const entries = [...this.fields];
    if (entries.every(([key]) => /^\d{1,9}$/.test(key))) {
      const values: FormValue[] = [];
      for (const [key, node] of entries.sort(([one], [other]) => Number(one) - Number(other)))
        values.push(yield* node.valueOf(key));
      return values;
    }
    const fields = {};
    yield* this.writeTo(fields);
    yield;
    return fields;
  }
}
