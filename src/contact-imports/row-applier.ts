import type { AccountScope } from '../auth/account-scope';
import type { Import, ImportCounts, UndoCounts } from './import.schema';
import type { ImportRow } from './import-row.schema';

/** Makes of rows what their file is about. Each call may be repeated after an interruption, at any step, and counts the same. */
export interface RowApplier {
  /** @param rows in the order of the file. */
  apply(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<ImportCounts>;
  /** @param rows from the last one on. */
  undo(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<UndoCounts>;
}
