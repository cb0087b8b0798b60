import { isNumberCell } from '../../common/csv/csv-format';
import { UnreadableCsv } from '../../common/csv/unreadable-csv';
import { type Column, type ColumnTarget, parseTarget } from './column-target';
import { isNumbered, targetOfHeader } from './header-names';

/** Exports of address books have about 90. */
export const MAX_COLUMNS = 200;
const MAX_HEADER_LENGTH = 100;

export interface ColumnOptions {
  /** By position; columns after them are ignored. Absent: by their names. */
  readonly targets?: readonly ColumnTarget[];
  /** Whether the first row names the columns; absent: unless there is a number in it. */
  readonly hasHeader?: boolean;
}

export interface ColumnMap {
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
}

/**
 * Decides what the columns of a file hold.
 * @param first the fields of its first row. @param second those of the next one, if there is one.
 * @throws UnreadableCsv if no column has phone numbers.
 */
export function mapColumns(
  first: readonly string[],
  second: readonly string[] | undefined,
  options: ColumnOptions,
): ColumnMap {
  const map = guessColumns(first, second, options);
  if (hasNumbers(map)) return map;
  const names = map.columns.slice(0, 20).map(({ header }) => header);
  throw new UnreadableCsv(
    `has no column that is known to hold phone numbers: name it "number", or say what the columns hold; they are ${names.join(', ')}`,
  );
}

const hasNumbers = ({ columns }: Pick<ColumnMap, 'columns'>): boolean =>
  columns.some(({ target }) => target.to === 'number');

/** The same, also if no column has phone numbers. @throws UnreadableCsv if there are too many columns. */
export function guessColumns(
  first: readonly string[],
  second: readonly string[] | undefined,
  { targets, hasHeader = !first.some(isNumberCell) }: ColumnOptions,
): ColumnMap {
  if (first.length > MAX_COLUMNS)
    throw new UnreadableCsv(`has ${first.length} columns, at most ${MAX_COLUMNS} are possible`);
  const headers = first.map((name, index) =>
    hasHeader && name !== '' ? name.slice(0, MAX_HEADER_LENGTH) : String(index + 1),
  );
  const found = targets
    ? first.map((_, index) => targets[index] ?? IGNORED)
    : guess(first, second, hasHeader);
  return {
    columns: headers.map((header, index) => ({ header, target: found[index] ?? IGNORED })),
    hasHeader,
  };
}

const IGNORED: ColumnTarget = { to: 'ignore' };

function guess(
  first: readonly string[],
  second: readonly string[] | undefined,
  hasHeader: boolean,
): readonly ColumnTarget[] {
  if (!hasHeader) return guessByContent(first);
  const named = first.map((header) => targetOfHeader(header));
  if (!named.includes('number')) {
    const place =
      second?.findIndex((field, index) => named[index] === undefined && isNumberCell(field)) ?? -1;
    if (place !== -1) named[place] = 'number';
  }
  const count = (target: ColumnTarget['to']) => named.filter((each) => each === target).length;
  // "Name" beside "Vorname" is the family name.
  const isFamilyName = count('firstName') > 0 && count('lastName') === 0;
  const hasSeveralNumbers = count('number') > 1;
  let isLabelled = false;
  return first.map((header, index): ColumnTarget => {
    const target = named[index];
    if (header === '') return IGNORED;
    const written = /^(?:field|number):/.test(header) ? parseTarget(header) : null;
    if (written) return written;
    if (target === undefined) return { to: 'field', name: header };
    if (target === 'name' && isFamilyName) return { to: 'lastName' };
    if (target === 'label') isLabelled = true;
    if (target !== 'number') return { to: target };
    const label = hasSeveralNumbers && !isLabelled && !isNumbered(header) ? header : undefined;
    isLabelled = false;
    return label === undefined ? { to: target } : { to: target, label };
  });
}

/** Without a header: the columns with a number, and of the others the first one is the name. */
function guessByContent(first: readonly string[]): readonly ColumnTarget[] {
  const name = first.findIndex((field) => field !== '' && !isNumberCell(field));
  return first.map((field, index): ColumnTarget => {
    if (isNumberCell(field)) return { to: 'number' };
    return index === name ? { to: 'name' } : IGNORED;
  });
}
