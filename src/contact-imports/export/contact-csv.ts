import { appError } from '../../common/errors';
import type { ContactContent } from '../../contacts/store/contact.schema';
import { BYTE_ORDER_MARK, csvLine, numberCell, textCell } from '../../messages/export/csv-cell';
import { parseTarget } from '../reading/column-target';
import { targetOfHeader } from '../reading/header-names';
import { MAX_COLUMNS } from '../reading/map-columns';
import { joinTags } from '../rows/contact-entry';

/** Columns beside those of the own fields of contacts. */
const OTHER_COLUMNS = 44;
const MAX_FIELD_COLUMNS = MAX_COLUMNS - OTHER_COLUMNS;

export class TooManyFieldNames extends appError(
  'invalid',
  'TOO_MANY_FIELD_NAMES',
  `The contacts have fields with more than ${MAX_FIELD_COLUMNS} names, each of which would be a column: export those of a list, or with a tag`,
) {}

/** The columns of a file of contacts. */
export interface ContactColumns {
  readonly numberCount: number;
  /** Places of numbers of which some have a label. */
  readonly labelledPlaces: ReadonlySet<number>;
  readonly fieldNames: readonly string[];
}

/** @throws TooManyFieldNames */
export async function collectColumns(contacts: AsyncIterable<ContactContent>): Promise<ContactColumns> {
  const fieldNames = new Set<string>();
  const labelledPlaces = new Set<number>();
  let numberCount = 1;
  for await (const { numbers, fields } of contacts) {
    numberCount = Math.max(numberCount, numbers.length);
    for (const [place, { label }] of numbers.entries()) if (label) labelledPlaces.add(place);
    for (const { name } of fields) fieldNames.add(name);
    if (fieldNames.size > MAX_FIELD_COLUMNS) throw new TooManyFieldNames();
  }
  return { numberCount, labelledPlaces, fieldNames: [...fieldNames].toSorted() };
}

/** Contacts as CSV, by RFC 4180, in the form in which they are imported. */
export async function* contactCsv(
  contacts: AsyncIterable<ContactContent>,
  { numberCount, labelledPlaces, fieldNames }: ContactColumns,
): AsyncGenerator<string> {
  const places = Array.from({ length: numberCount }, (_, place) => place);
  const numberNames = places.flatMap((place) => {
    const name = place === 0 ? 'number' : `number ${place + 1}`;
    return labelledPlaces.has(place) ? [`${name} label`, name] : [name];
  });
  const header = ['name', ...numberNames, 'tags', 'notes', 'language', ...fieldNames.map(fieldHeader)];
  yield BYTE_ORDER_MARK + csvLine(header.map(textCell));
  for await (const { name, numbers, tags, notes, language, fields } of contacts) {
    const values = new Map(fields.map((field) => [field.name, field.value]));
    const numberCells = places.flatMap((place) => {
      const cell = numberCell(numbers[place]?.number);
      return labelledPlaces.has(place) ? [textCell(numbers[place]?.label), cell] : [cell];
    });
    yield csvLine([
      textCell(name),
      ...numberCells,
      ...[joinTags(tags), notes, language].map(textCell),
      ...fieldNames.map((each) => textCell(values.get(each))),
    ]);
  }
}

/** The name of a field, unless an import would take it for something else. */
const fieldHeader = (name: string): string =>
  targetOfHeader(name) === undefined && parseTarget(name) === null ? name : `field:${name}`;
