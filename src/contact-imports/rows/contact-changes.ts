import type { Types } from 'mongoose';
import { distinctIds } from '../../common/documents';
import { assertWithinLimits, distinctTags, EMPTY_CONTACT } from '../../contacts/store/contact-input';
import { tagKey } from '../../contacts/store/contact-terms';
import type { ContactContent, ContactField, ContactNumber } from '../../contacts/store/contact.schema';
import type { ContactEntry } from './contact-entry';

/** A text before and after a change; absent: none. */
export interface TextChange {
  readonly before?: string;
  readonly after?: string;
}

/** What an import changed of a contact. */
export interface ContactChanges {
  readonly name?: TextChange;
  readonly notes?: TextChange;
  readonly language?: TextChange;
  readonly fields?: readonly (TextChange & { readonly name: string })[];
  /** In comparable form. */
  readonly addedNumbers?: readonly string[];
  readonly addedTags?: readonly string[];
  /** An import adds to one list at most. */
  readonly addedList?: Types.ObjectId;
}

export interface AppliedOptions {
  readonly list?: Types.ObjectId;
  readonly tags?: readonly string[];
}

/** The content of a contact that a row creates. @throws ValidationFailed if it is too large. */
export const newContent = (entry: ContactEntry, options: AppliedOptions): ContactContent =>
  withEntry(EMPTY_CONTACT, entry, options);

/**
 * The content of a contact after a row of a file: what the row has, replaces; numbers and tags are added.
 * @throws ValidationFailed if it is too large.
 */
export function withEntry(
  before: ContactContent,
  entry: ContactEntry,
  options: AppliedOptions,
): ContactContent {
  const known = new Set(before.numbers.map(({ peerNumber }) => peerNumber));
  const fields = new Map(before.fields.map(({ name, value }) => [name, value]));
  for (const { name, value } of entry.fields)
    if (!isSameText(value, fields.get(name))) fields.set(name, value);
  const notes =
    entry.notes !== undefined && isSameText(entry.notes, before.notes) ? before.notes : entry.notes;
  return withGroups(
    {
      ...before,
      ...(entry.name !== undefined && { name: entry.name }),
      numbers: [
        ...before.numbers,
        ...entry.numbers.filter(({ peerNumber }) => !known.has(peerNumber)).map(withoutUndefined),
      ],
      fields: [...fields].map(([name, value]) => ({ name, value })),
      tags: distinctTags([...before.tags, ...entry.tags]),
      ...(notes !== undefined && { notes }),
      ...(entry.language !== undefined && { language: entry.language }),
    },
    options,
  );
}

/** The content of a contact with the tags and the list of an import. @throws ValidationFailed if it is too large. */
export function withGroups(before: ContactContent, { list, tags = [] }: AppliedOptions): ContactContent {
  const content = {
    ...before,
    tags: distinctTags([...before.tags, ...tags]),
    lists: list ? distinctIds([...before.lists, list]) : before.lists,
  };
  assertWithinLimits(content);
  return content;
}

/** What is different. @returns undefined if nothing is. */
export function changesBetween(before: ContactContent, after: ContactContent): ContactChanges | undefined {
  const addedList = after.lists.find((list) => !before.lists.some((each) => each.equals(list)));
  const changes: ContactChanges = {
    ...changed('name', before.name || undefined, after.name || undefined),
    ...changed('notes', before.notes, after.notes),
    ...changed('language', before.language, after.language),
    ...unlessEmpty('fields', changedFields(before.fields, after.fields)),
    ...unlessEmpty('addedNumbers', added(peerNumbersOf(before.numbers), peerNumbersOf(after.numbers))),
    ...unlessEmpty('addedTags', added(before.tags, after.tags)),
    ...(addedList && { addedList }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/**
 * The content of a contact without changes of an import, as far as nobody has changed the same since.
 * @returns also whether all of them could be taken back, or had been.
 */
export function withoutChanges(
  current: ContactContent,
  { name, notes, language, fields = [], addedNumbers = [], addedTags = [], addedList }: ContactChanges,
): { readonly content: ContactContent; readonly isComplete: boolean } {
  let isComplete = true;
  const reverted = (change: TextChange | undefined, text: string | undefined): string | undefined => {
    if (!change || text === change.before) return text;
    if (text === change.after) return change.before;
    isComplete = false;
    return text;
  };
  const values = new Map(current.fields.map((field) => [field.name, field.value]));
  for (const change of fields) {
    const value = reverted(change, values.get(change.name));
    if (value === undefined) values.delete(change.name);
    else values.set(change.name, value);
  }
  const newName = reverted(name, current.name || undefined) ?? '';
  const newNotes = reverted(notes, current.notes);
  const newLanguage = reverted(language, current.language);
  const kept = current.numbers.filter(({ peerNumber }) => !addedNumbers.includes(peerNumber));
  // A contact keeps one number at least.
  if (kept.length === 0) isComplete = false;
  const withdrawnTags = new Set(addedTags.map(tagKey));
  return {
    isComplete,
    content: {
      name: newName,
      numbers: kept.length > 0 ? kept : current.numbers,
      fields: [...values].map(([field, value]) => ({ name: field, value })),
      tags: current.tags.filter((tag) => !withdrawnTags.has(tagKey(tag))),
      ...(newNotes !== undefined && { notes: newNotes }),
      ...(newLanguage !== undefined && { language: newLanguage }),
      lists: addedList ? current.lists.filter((list) => !list.equals(addedList)) : current.lists,
    },
  };
}

/** Whether two contents say the same, in whatever order. */
export function isSameContent(one: ContactContent, other: ContactContent): boolean {
  const labelled = ({ numbers }: ContactContent) =>
    JSON.stringify(numbers.map(({ number, label = '' }) => [number, label]));
  return !changesBetween(one, other) && !changesBetween(other, one) && labelled(one) === labelled(other);
}

/** Files may have other line ends. */
const isSameText = (one: string, other: string | undefined): boolean =>
  one === other?.replace(/\r\n?/g, '\n').trim();

function changed<Name extends string>(
  field: Name,
  before: string | undefined,
  after: string | undefined,
): Readonly<Partial<Record<Name, TextChange>>> {
  if (before === after) return {} as Partial<Record<Name, TextChange>>;
  const change: TextChange = {
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
  return { [field]: change } as Readonly<Record<Name, TextChange>>;
}

function changedFields(before: readonly ContactField[], after: readonly ContactField[]) {
  const values = new Map(before.map(({ name, value }) => [name, value]));
  return after.flatMap(({ name, value }) => {
    const old = values.get(name);
    return old === value ? [] : [{ name, ...(old !== undefined && { before: old }), after: value }];
  });
}

const peerNumbersOf = (numbers: readonly ContactNumber[]): string[] =>
  numbers.map(({ peerNumber }) => peerNumber);

const added = (before: readonly string[], after: readonly string[]): string[] =>
  after.filter((each) => !before.includes(each));

const unlessEmpty = <Name extends string, Item>(name: Name, items: readonly Item[]) =>
  (items.length > 0 ? { [name]: items } : {}) as Readonly<Partial<Record<Name, readonly Item[]>>>;

/** As it is stored. */
const withoutUndefined = ({ label, ...number }: ContactNumber): ContactNumber => ({
  ...number,
  ...(label && { label }),
});
