import type { ContactPatchRequest, ContactRequest, ContactResponse } from '../../../generated';

export type Contact = ContactResponse;

/** The bounds of the API. */
export const MAX_NAME_LENGTH = 128;
export const MAX_NUMBERS = 20;
export const MAX_FIELDS = 30;
export const MAX_TAGS = 50;
export const MAX_NOTES_LENGTH = 5_000;

/** What a person is called where there is room for one line. */
export const titleOf = ({ name, numbers }: Pick<Contact, 'name' | 'numbers'>): string =>
  name || (numbers[0]?.number ?? '');

export interface ContactForm {
  name: string;
  numbers: { number: string; label: string }[];
  fields: { name: string; value: string }[];
  tags: string[];
  notes: string;
  language: string;
}

export const toContactForm = (contact: Contact | undefined, number = '', notes = ''): ContactForm => ({
  name: contact?.name ?? '',
  numbers: contact?.numbers.map((each) => ({ number: each.number, label: each.label ?? '' })) ?? [
    { number, label: '' },
  ],
  fields: Object.entries(contact?.fields ?? {}).map(([name, value]) => ({ name, value })),
  tags: contact?.tags ?? [],
  notes: contact?.notes ?? notes,
  language: contact?.language ?? '',
});

/** @param before the contact that is changed: its fields that are gone are removed. */
export function toContactBody(form: ContactForm, before?: Contact): ContactRequest & ContactPatchRequest {
  const removed = Object.keys(before?.fields ?? {}).map((name) => [name, ''] as const);
  const fields = form.fields.flatMap(({ name, value }) =>
    name.trim() === '' ? [] : [[name.trim(), value] as const],
  );
  return {
    name: form.name,
    numbers: form.numbers
      .filter(({ number }) => number.trim() !== '')
      .map(({ number, label }) => ({ number, ...(label && { label }) })),
    fields: Object.fromEntries([...removed, ...fields]),
    tags: form.tags,
    notes: form.notes || null,
    language: form.language || null,
  };
}
