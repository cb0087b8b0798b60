import type { HttpClient } from './http-client';
import type { RowName } from './options';
import type { ProcessControl } from './process-control';
import type { Receiver } from './receiver';
import type { Records } from './records';
import type { Tenant } from './tenant';
import type { Tenants } from './tenants';

/** The running service, its database and a webhook endpoint. */
export interface RowContext {
  readonly http: HttpClient;
  readonly records: Records;
  readonly control: ProcessControl;
  readonly receiver: Receiver;
  /** The account of a row that measures one burst. */
  readonly tenantOf: (row: RowName) => Promise<Tenant>;
  /** The accounts of a row whose calls come from different accounts. */
  readonly tenantsOf: (row: RowName) => Promise<Tenants>;
}
