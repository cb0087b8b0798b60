import { FieldErrors } from '../../common/errors';
import { type Country, peerNumber } from '../../common/peer-number';
import { PHONE_NUMBER_PROBLEMS, type PhoneNumberProblem, readPhoneNumber } from '../../common/phone-number';
import type { ContactContent, ContactField, ContactNumber } from './contact.schema';
import {
  MAX_FIELD_CHARACTERS,
  MAX_FIELD_NAME_LENGTH,
  MAX_FIELD_VALUE_LENGTH,
  MAX_FIELDS,
  MAX_NUMBERS,
  MAX_TAGS,
} from './contact-limits';
import { tagKey } from './contact-terms';
import { sum } from '../../common/sum';

export interface ContactNumberInput {
  /** In any spelling, or the name of a sender. */
  readonly number: string;
  readonly label?: string;
}

/** What to change of a contact: an absent field stays. Types and lengths of texts are checked, the rest is not. */
export interface ContactInput {
  readonly name?: string;
  /** Replaces all. The first one is the primary number. */
  readonly numbers?: readonly ContactNumberInput[];
  /** Values by name; an empty one removes the field, and others stay. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Replaces all. */
  readonly tags?: readonly string[];
  /** Empty: none. */
  readonly notes?: string;
  /** Empty: none. */
  readonly language?: string;
}

export const EMPTY_CONTACT: ContactContent = { name: '', numbers: [], fields: [], tags: [], lists: [] };

/**
 * The content of a contact after a change.
 * @param country where numbers without a + are dialled.
 * @throws ValidationFailed
 */
export function changedContent(
  before: ContactContent,
  input: ContactInput,
  country: Country | undefined,
): ContactContent {
  const errors = new FieldErrors();
  const { name = before.name, notes = before.notes, language = before.language } = input;
  const changed = {
    name: name.trim(),
    numbers: input.numbers ? readNumbers(input.numbers, country, errors) : before.numbers,
    fields: input.fields ? changedFields(before.fields, input.fields, errors) : before.fields,
    tags: input.tags ? distinctTags(input.tags) : before.tags,
    ...(notes && { notes }),
    ...(language && { language }),
    lists: before.lists,
  };
  if ((input.numbers ?? before.numbers).length === 0)
    errors.add('numbers', 'is required: at least one number');
  errors.throwIfAny();
  assertWithinLimits(changed);
  return changed;
}

/** @throws ValidationFailed if the content as a whole is too large, as after a merge. */
export function assertWithinLimits({ numbers, fields, tags }: ContactContent): void {
  const errors = new FieldErrors();
  const limit = (field: string, count: number, max: number) => {
    if (count > max) errors.add(field, `must not have more than ${max} entries; it would have ${count}`);
  };
  limit('numbers', numbers.length, MAX_NUMBERS);
  limit('fields', fields.length, MAX_FIELDS);
  limit('tags', tags.length, MAX_TAGS);
  const characters = sum(fields, ({ value }) => value.length);
  if (characters > MAX_FIELD_CHARACTERS)
    errors.add(
      'fields',
      `must not have more than ${MAX_FIELD_CHARACTERS} characters together; there are ${characters}`,
    );
  errors.throwIfAny();
}

/** Why a text can be no number of a contact; a named sender, such as DHL, can. */
export function contactNumberProblem(text: string): PhoneNumberProblem | undefined {
  const { problem } = readPhoneNumber(text);
  return problem === 'format' && /\p{L}/u.test(text) ? undefined : problem;
}

/** @param text without a `contactNumberProblem`. */
export function toContactNumber(
  { number, label }: ContactNumberInput,
  country: Country | undefined,
): ContactNumber {
  const text = number.trim();
  return { number: text, peerNumber: peerNumber(text, country), ...(label && { label }) };
}

function readNumbers(
  inputs: readonly ContactNumberInput[],
  country: Country | undefined,
  errors: FieldErrors,
): ContactNumber[] {
  const seen = new Map<string, number>();
  return inputs.flatMap((input, index) => {
    const field = `numbers.${index}.number`;
    const problem = contactNumberProblem(input.number.trim());
    if (problem) {
      errors.add(field, `${JSON.stringify(input.number)} ${PHONE_NUMBER_PROBLEMS[problem]}`);
      return [];
    }
    const read = toContactNumber(input, country);
    const first = seen.get(read.peerNumber);
    if (first !== undefined) errors.add(field, `is the same number as numbers.${first}.number`);
    seen.set(read.peerNumber, index);
    return [read];
  });
}

function changedFields(
  before: readonly ContactField[],
  input: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): ContactField[] {
  const fields = new Map(before.map(({ name, value }) => [name, value]));
  for (const [given, value] of Object.entries(input)) {
    const name = given.trim();
    if (name === '' || name.length > MAX_FIELD_NAME_LENGTH)
      errors.add('fields', `must have names of 1 to ${MAX_FIELD_NAME_LENGTH} characters`);
    else if (typeof value !== 'string') errors.add(`fields.${name}`, 'must be a string');
    else if (value.length > MAX_FIELD_VALUE_LENGTH)
      errors.add(`fields.${name}`, `must not be longer than ${MAX_FIELD_VALUE_LENGTH} characters`);
    else if (value.trim() === '') fields.delete(name);
    else fields.set(name, value.trim());
  }
  return [...fields].map(([name, value]) => ({ name, value }));
}

/** Of tags that differ in case or accents only, the first one. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) {
    const text = tag.trim();
    if (text !== '' && !byKey.has(tagKey(text))) byKey.set(tagKey(text), text);
  }
  return [...byKey.values()];
}
