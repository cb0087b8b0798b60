import { numberCell, textCell } from '../../messages/export/csv-cell';
import type { RefusedRow } from '../store/import-rows.repository';

/** Spreadsheets read the file as UTF-8 only with it. */
const BYTE_ORDER_MARK = '\ufeff';

/** The refused rows of an import as CSV, by RFC 4180. */
export async function* refusedCsv(rows: AsyncIterable<RefusedRow>): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}line,field,value,reason\r\n`;
  for await (const { line, refusal } of rows) {
    const { field, value, reason } = refusal;
    yield `${[String(line), textCell(field), numberCell(value), textCell(reason)].join(',')}\r\n`;
  }
}
