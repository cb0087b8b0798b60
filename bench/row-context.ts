import type { HttpClient } from './http-client';
import type { RowName } from './options';
import type { ProcessControl } from './process-control';
import type { Receiver } from './receiver';
import type { Records } from './records';
import type { Tenant } from './tenant';

/** The running service, its database and a webhook endpoint. */
export interface RowContext {
  readonly http: HttpClient;
  readonly records: Records;
  readonly control: ProcessControl;
  readonly receiver: Receiver;
  /** The account of a row. */
  readonly tenantOf: (row: RowName) => Promise<Tenant>;
}
