import type { ApiClient } from './api-client';
import type { DatabaseView } from './database-view';

/** Where a run looks at the service: at its API, and past it into its database. */
export interface Site {
  readonly api: ApiClient;
  readonly baseUrl: string;
  readonly view: DatabaseView;
}
