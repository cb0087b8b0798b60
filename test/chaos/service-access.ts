import type { ApiClient } from './api-client';
import type { DatabaseView } from './database-view';

/** The API and the database of the service under test. */
export interface ServiceAccess {
  readonly api: ApiClient;
  readonly baseUrl: string;
  readonly view: DatabaseView;
}
