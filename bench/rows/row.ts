import type { ServiceRole } from '../../test/chaos/service-process';
import type { Owner } from '../documents';
import type { Side } from '../slice';
import type { Stage } from '../stage';

/** The service's side of a row, and whose records it is about. */
export interface Begun {
  readonly owner: Owner;
  readonly side: Side;
  /** The processes whose work is measured. */
  readonly roles: readonly ServiceRole[];
  end?(): Promise<void>;
}

export type BeginRow = (stage: Stage) => Promise<Begun>;
