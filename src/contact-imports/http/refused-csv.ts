import { BYTE_ORDER_MARK, csvLine, numberCell, textCell } from '../../messages/export/csv-cell';
import type { RefusedRow } from '../store/import-rows.repository';

/** The refused rows of an import as CSV, by RFC 4180. */
export async function* refusedCsv(rows: AsyncIterable<RefusedRow>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(['line', 'field', 'value', 'reason']);
  for await (const { line, refusal } of rows) {
    const { field, value, reason } = refusal;
    yield csvLine([String(line), textCell(field), numberCell(value), textCell(reason)]);
  }
}
