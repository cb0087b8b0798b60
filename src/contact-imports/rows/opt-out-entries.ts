import type { CsvRecord } from '../../common/csv/csv-records';
import type { Country } from '../../common/peer-number';
import type { Column } from '../reading/column-target';
import { isPhoneNumber, readContactRow, type ReadRow } from './contact-entry';
import { numberRefusal } from './refusal';

/** Reads a row of a list of people who want no messages: only its numbers matter, and each counts as a row. */
export function readOptOutRow(
  record: CsvRecord,
  columns: readonly Column[],
  country: Country | undefined,
): readonly ReadRow[] {
  const numberColumns = columns.map((column): Column =>
    column.target.to === 'number' ? column : { ...column, target: { to: 'ignore' } },
  );
  const read = readContactRow(record, numberColumns, country);
  if (!read.entry) return [read];
  return read.entry.numbers.map((number) =>
    isPhoneNumber(number)
      ? { entry: { numbers: [number], fields: [], tags: [] } }
      : { refusal: numberRefusal(read.entry.senderColumn ?? '', number.number, 'format'), numbers: [] },
  );
}
