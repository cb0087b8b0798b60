import type { HttpClient } from './http-client';
import type { RowName } from './options';
import type { ProcessControl } from './process-control';
import type { Receiver } from './receiver';
import type { Records } from './records';
import type { Tenant } from './tenant';

/** What the rows work on: the running service, its database seen past it, and a receiver of webhooks. */
export interface Stage {
  readonly http: HttpClient;
  readonly records: Records;
  readonly control: ProcessControl;
  readonly receiver: Receiver;
  /** The account that a row is about. */
  readonly tenantOf: (row: RowName) => Promise<Tenant>;
}
