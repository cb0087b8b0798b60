import { Injectable } from '@nestjs/common';
import { ContactApplier } from '../contacts/contact-applier.service';
import { ContactUndo } from '../contacts/contact-undo.service';
import type { Import } from '../import.schema';
import { SuppressionApplier } from '../suppressions/suppression-applier.service';
import type { RowApplier } from '../row-applier';

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
