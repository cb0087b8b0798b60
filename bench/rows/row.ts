import type { ServiceRole } from '../../test/chaos/service-process';
import type { Owner } from '../documents';
import type { Side } from '../slice';
import type { RowContext } from '../row-context';

/** The service side of a row and the owner of its records. */
export interface ActiveRow {
  readonly owner: Owner;
  readonly side: Side;
  /** The roles that do the measured work. */
  readonly roles: readonly ServiceRole[];
  end?(): Promise<void>;
}

export type StartRow = (context: RowContext) => Promise<ActiveRow>;
