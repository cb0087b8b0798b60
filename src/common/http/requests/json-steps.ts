import { MalformedBody } from './request-shape';

/** Of a text that is parsed at once. V8 takes a millisecond for it at most: each key that it has not seen costs most. */
const CHUNK_LENGTH = 16_384;

/** Of a part that is longer than a chunk. The deepest field of the API has four. */
const MAX_LEVELS = 8;

/** Above what a phone or a program sends. */
const MAX_FIELDS_PER_OBJECT = 10_000;

const CLOSING = { '[': ']', '{': '}' } as const;

/**
 * Parses JSON as `JSON.parse` does, in steps: lists and objects that are longer than a chunk are split at their commas.
 * @throws SyntaxError, or MalformedBody for what is nested too deep or has too many fields.
 */
export function* jsonSteps(json: string, level = 0): Generator<undefined, unknown> {
  const text = trim(json);
  const opening = text.charAt(0);
  if (text.length <= CHUNK_LENGTH || (opening !== '[' && opening !== '{')) return JSON.parse(text) as unknown;
  if (level === MAX_LEVELS)
    throw new MalformedBody(`The request is nested more than ${MAX_LEVELS} levels deep`);
  if (!text.endsWith(CLOSING[opening])) throw new SyntaxError('It does not end');
  return opening === '[' ? yield* listSteps(text, level) : yield* objectSteps(text, level);
}

function* listSteps(text: string, level: number): Generator<undefined, unknown[]> {
  const list: unknown[] = [];
  for (const { part, isWhole } of partsOf(text)) {
    if (isWhole) list.push(yield* jsonSteps(part, level + 1));
    else for (const value of notEmpty(JSON.parse(`[${part}]`) as unknown[])) list.push(value);
    yield;
  }
  return list;
}

function* objectSteps(text: string, level: number): Generator<undefined, object> {
  const object = {};
  let count = 0;
  for (const { part, isWhole } of partsOf(text)) {
    const members = isWhole ? [yield* memberSteps(part, level)] : membersOf(part);
    count += members.length;
    if (count > MAX_FIELDS_PER_OBJECT)
      throw new MalformedBody(`The request has an object with more than ${MAX_FIELDS_PER_OBJECT} fields`);
    for (const [key, value] of members)
      // Not by assignment, because a key may be `__proto__`.
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    yield;
  }
  return object;
}

const membersOf = (part: string) =>
  notEmpty(Object.entries(JSON.parse(`{${part}}`) as object)) as [string, unknown][];

/** A member that is longer than a chunk. */
function* memberSteps(member: string, level: number): Generator<undefined, [string, unknown]> {
  const part = trim(member);
  const end = part.startsWith('"') ? endOfString(part, 0) : 0;
  const key = JSON.parse(part.slice(0, end)) as string;
  const rest = trim(part.slice(end));
  if (!rest.startsWith(':')) throw new SyntaxError('A key without a value');
  return [key, yield* jsonSteps(rest.slice(1), level + 1)];
}

/** Between two commas is a value. */
function notEmpty<Value>(values: Value[]): Value[] {
  if (values.length === 0) throw new SyntaxError('A comma without a value');
  return values;
}

interface Part {
  readonly part: string;
  /** Whether it is one value or member that is longer than a chunk; else it is one or several. */
  readonly isWhole: boolean;
}

/** Splits what is between the brackets of a list or an object at its own commas. */
function* partsOf(text: string): Generator<Part> {
  const end = text.length - 1;
  // Where the part and its last value start.
  let [start, last, depth] = [1, 1, 0];
  const take = (to: number, isWhole: boolean): Part => {
    const part = text.slice(start, to);
    start = to + 1;
    return { part, isWhole };
  };
  for (let index = 1; index <= end; index++) {
    const code = index === end ? COMMA : text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth < 0 || index > end || (index === end && depth > 0))
      throw new SyntaxError('Unbalanced brackets');
    if (code !== COMMA || depth > 0) continue;
    if (index - last > CHUNK_LENGTH) {
      if (start < last) yield take(last - 1, false);
      if (index < end || start > 1 || trim(text.slice(1, end)) !== '') yield take(index, true);
    } else if (index === end || index - start > CHUNK_LENGTH) yield take(index, false);
    last = index + 1;
  }
}

/** Without the white space of JSON around it. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && WHITE_SPACE.has(text.charCodeAt(start))) start += 1;
  while (end > start && WHITE_SPACE.has(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** @param start of the opening quote. @returns the index after the closing one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  throw new SyntaxError('A text without an end');
}

const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
