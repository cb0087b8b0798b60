import { filledLength } from '../../common/csv/csv-format';
import type { CsvRecord } from '../../common/csv/csv-records';
import type { Country } from '../../common/peer-number';
import { readPhoneNumber } from '../../common/phone-number';
import { sum } from '../../common/sum';
import { sanitizeLine } from '../../common/text/printable';
import { contactNumberProblem, distinctTags, toContactNumber } from '../../contacts/store/contact-input';
import {
  MAX_FIELD_CHARACTERS,
  MAX_FIELD_NAME_LENGTH,
  MAX_FIELD_VALUE_LENGTH,
  MAX_FIELDS,
  MAX_LABEL_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NOTES_LENGTH,
  MAX_NUMBER_LENGTH,
  MAX_NUMBERS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../../contacts/store/contact-limits';
import type { ContactField, ContactNumber } from '../../contacts/store/contact.schema';
import type { Column, ColumnTarget } from '../reading/column-target';
import { numberRefusal, type Refusal, refusal } from './refusal';

/** What a row says of a person; what is absent or empty in the row changes nothing. */
export interface ContactEntry {
  readonly name?: string;
  /** At least one. */
  readonly numbers: readonly ContactNumber[];
  readonly fields: readonly ContactField[];
  readonly tags: readonly string[];
  readonly notes?: string;
  readonly language?: string;
  /** The column with a number that is no phone number, but may be the name of a sender. */
  readonly senderColumn?: string;
}

export type ReadRow =
  | { readonly entry: ContactEntry; readonly refusal?: undefined }
  /** `numbers`: those that could be read, in comparable form. */
  | { readonly refusal: Refusal; readonly entry?: undefined; readonly numbers: readonly string[] };

const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i;

/** What a spreadsheet shows but does not evaluate: `textCell` puts a ' before it. */
const PROTECTED = /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/;

/** Of Google Contacts: several values in a field, and groups that all contacts have. */
const BETWEEN_VALUES = /\s*:::\s*/;
const SYSTEM_GROUP = /^\* /;

/**
 * Reads a row of a file of contacts.
 * @param country where numbers without a + are dialled.
 */
export function readContactRow(
  { fields: cells }: CsvRecord,
  columns: readonly Column[],
  country: Country | undefined,
): ReadRow {
  return new ContactRow(columns, cells, country).read();
}

class ContactRow {
  private readonly numbers: ContactNumber[] = [];
  private refused: Refusal | undefined;
  private senderColumn = '';

  constructor(
    private readonly columns: readonly Column[],
    private readonly cells: readonly string[],
    private readonly country: Country | undefined,
  ) {}

  read(): ReadRow {
    this.checkWidth();
    this.readNumbers();
    const entry: ContactEntry = {
      ...this.optional('name', this.readName()),
      numbers: this.numbers,
      fields: this.readFields(),
      tags: this.readTags(),
      ...this.optional('notes', this.joined('notes', '\n', MAX_NOTES_LENGTH)),
      ...this.optional('language', this.readLanguage()),
      ...this.optional('senderColumn', this.senderColumn),
    };
    return this.refused
      ? { refusal: this.refused, numbers: this.numbers.map(({ peerNumber }) => peerNumber) }
      : { entry };
  }

  private checkWidth(): void {
    const width = filledLength(this.cells);
    if (width <= this.columns.length) return;
    const text = `has ${width} fields, but there are ${this.columns.length} columns: put fields with separators in quotation marks`;
    this.refuse(refusal('cells', '', this.cells.slice(this.columns.length, width).join(' '), text));
  }

  private readNumbers(): void {
    const seen = new Set<string>();
    let label = '';
    for (const { header, target, text } of this.filled()) {
      if (target.to === 'label') label = withoutMark(text);
      if (target.to !== 'number') continue;
      const labels = (target.label ?? label).split(BETWEEN_VALUES);
      label = '';
      for (const [index, number] of text.split(BETWEEN_VALUES).entries()) {
        const read = this.readNumber(header, number, labels[index] ?? labels[0]);
        if (!read || seen.has(read.peerNumber)) continue;
        seen.add(read.peerNumber);
        this.numbers.push(read);
      }
    }
    const [first] = this.columns.filter(({ target }) => target.to === 'number');
    if (this.numbers.length === 0)
      this.refuse(refusal('number_missing', first?.header ?? '', '', 'is empty: a contact needs a number'));
    if (this.numbers.length > MAX_NUMBERS)
      this.refuse(
        refusal(
          'too_many',
          first?.header ?? '',
          String(this.numbers.length),
          `numbers, at most ${MAX_NUMBERS} are possible`,
        ),
      );
  }

  private readNumber(header: string, cell: string, label: string | undefined): ContactNumber | undefined {
    const number = withoutFormula(cell);
    const problem = number.length > MAX_NUMBER_LENGTH ? 'format' : contactNumberProblem(number);
    if (problem) {
      this.refuse(numberRefusal(header, number, problem));
      return undefined;
    }
    const read = toContactNumber({ number, label: label?.trim().slice(0, MAX_LABEL_LENGTH) }, this.country);
    if (!isPhoneNumber(read)) this.senderColumn ||= header;
    return read;
  }

  private readName(): string {
    const whole = this.joined('name', ' ', MAX_NAME_LENGTH);
    if (whole !== '') return whole;
    const parts = (['firstName', 'middleName', 'lastName'] as const).map((part) =>
      this.joined(part, ' ', MAX_NAME_LENGTH),
    );
    const name = parts.filter((part) => part !== '').join(' ');
    const header = this.columns.find(({ target }) => target.to === 'lastName')?.header ?? '';
    return this.withinLength(header, name, MAX_NAME_LENGTH);
  }

  private readFields(): ContactField[] {
    const byName = new Map<string, string>();
    for (const { header, target, text } of this.filled()) {
      if (target.to !== 'field') continue;
      const name = target.name.trim();
      if (name.length > MAX_FIELD_NAME_LENGTH)
        this.refuse(
          refusal(
            'field_name',
            header,
            text,
            `is in a column whose name has more than ${MAX_FIELD_NAME_LENGTH} characters`,
          ),
        );
      byName.set(name, this.withinLength(header, text, MAX_FIELD_VALUE_LENGTH));
    }
    const fields = [...byName].map(([name, value]) => ({ name, value }));
    if (fields.length > MAX_FIELDS)
      this.refuse(
        refusal('too_many', '', String(fields.length), `fields, at most ${MAX_FIELDS} are possible`),
      );
    if (sum(fields, ({ value }) => value.length) > MAX_FIELD_CHARACTERS)
      this.refuse(
        refusal('too_long', '', '', `all fields together have more than ${MAX_FIELD_CHARACTERS} characters`),
      );
    return fields;
  }

  private readTags(): string[] {
    const tags: string[] = [];
    for (const { header, target, text } of this.filled()) {
      if (target.to !== 'tags') continue;
      for (const tag of splitTags(text)) tags.push(this.withinLength(header, tag, MAX_TAG_LENGTH));
    }
    const distinct = distinctTags(tags);
    if (distinct.length > MAX_TAGS)
      this.refuse(refusal('too_many', '', String(distinct.length), `tags, at most ${MAX_TAGS} are possible`));
    return distinct;
  }

  private readLanguage(): string {
    const language = this.joined('language', ' ', MAX_NOTES_LENGTH);
    if (language === '' || LANGUAGE.test(language)) return language.replaceAll('_', '-');
    const header = this.columns.find(({ target }) => target.to === 'language')?.header ?? '';
    this.refuse(refusal('language', header, language, 'is not the code of a language, such as en or pt-BR'));
    return '';
  }

  /** The text of all columns with a target. */
  private joined(to: ColumnTarget['to'], between: string, maxLength: number): string {
    const found = this.filled().filter(({ target }) => target.to === to);
    const text = found.map((cell) => cell.text).join(between);
    return this.withinLength(found[0]?.header ?? '', text, maxLength);
  }

  private withinLength(header: string, text: string, max: number): string {
    if (text.length > max) {
      const reason = `has ${text.length} characters, at most ${max} are possible`;
      this.refuse(refusal('too_long', header, text, reason));
    }
    return text;
  }

  private filled() {
    return this.columns.flatMap(({ header, target }, index) => {
      const text = readable((this.cells[index] ?? '').replace(PROTECTED, ''), target.to);
      return text === '' ? [] : [{ header, target, text }];
    });
  }

  /** The first problem of a row is told. */
  private refuse(problem: Refusal): void {
    this.refused ??= problem;
  }

  private optional<Name extends string>(name: Name, text: string): Readonly<Partial<Record<Name, string>>> {
    return (text === '' ? {} : { [name]: text }) as Readonly<Partial<Record<Name, string>>>;
  }
}

/** Only notes and fields have several lines. */
const readable = (cell: string, to: ColumnTarget['to']): string =>
  (to === 'notes' || to === 'field' ? cell : sanitizeLine(cell)).trim();

/** A spreadsheet keeps the zeros of `="0151"`. */
const withoutFormula = (cell: string): string => cell.replace(/^="(.*)"$/, '$1').trim();

const withoutMark = (label: string): string => label.replace(SYSTEM_GROUP, '');

/** Tags between commas, semicolons or `:::`; one that has such characters is in quotation marks. */
export function splitTags(text: string): string[] {
  const parts = text.replaceAll(':::', ';').match(/\s*"(?:[^"]|"")*"\s*(?=[,;]|$)|[^,;]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .map((tag) => (/^".*"$/s.test(tag) ? tag.slice(1, -1).replaceAll('""', '"') : tag).trim())
    .filter((tag) => tag !== '' && !tag.startsWith('* '));
}

/** The reverse of `splitTags`. */
export const joinTags = (tags: readonly string[]): string =>
  tags.map((tag) => (/[,;"]|:::|^\* /.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join('; ');

/** Whether a number is that of a phone, and not the name of a sender, which only a contact that exists may have. */
export const isPhoneNumber = ({ number }: ContactNumber): boolean =>
  readPhoneNumber(number).number !== undefined;
