import { Injectable } from '@nestjs/common';
import { ContactApplier } from '../contacts/contact-applier.service';
import { ContactUndo } from '../contacts/contact-undo.service';
import type { AccountScope } from '../../auth/account-scope';
import type { Import, ImportCounts, UndoCounts } from '../store/import.schema';
import type { ImportRow } from '../store/import-row.schema';
import { SuppressionApplier } from '../suppressions/suppression-applier.service';

/** Makes of rows what their file is about. Each call may be repeated after an interruption, at any step, and counts the same. */
export interface RowApplier {
  /** @param rows in the order of the file. */
  apply(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<ImportCounts>;
  /** @param rows from the last one on. */
  undo(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<UndoCounts>;
}

/** What makes of rows what their file is about. */
@Injectable()
export class RowAppliers {
  private readonly contacts: RowApplier;

  constructor(
    contacts: ContactApplier,
    contactUndo: ContactUndo,
    private readonly suppressions: SuppressionApplier,
  ) {
    this.contacts = {
      apply: (account, job, rows) => contacts.apply(account, job, rows),
      undo: (account, job, rows) => contactUndo.undo(account, job, rows),
    };
  }

  of({ kind }: Import): RowApplier {
    return kind === 'contacts' ? this.contacts : this.suppressions;
  }
}
