import { closedLoop } from '../closed-loop';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import type { ActiveRow } from './row';

const PAGE = 'gateway/messages?limit=50';

/** The first page of 50 with the total, which is the default. */
export async function listPage({ http, tenantOf }: RowContext): Promise<ActiveRow> {
  const tenant = await tenantOf('list_page');
  return reads(tenant, () => http.call({ method: 'GET', path: PAGE, apiKey: tenant.apiKey }));
}

/** Pages of 50 by cursor, without totals. */
export async function listCursor({ http, tenantOf }: RowContext): Promise<ActiveRow> {
  const tenant = await tenantOf('list_cursor');
  const { apiKey } = tenant;
  const walks: string[] = [];
  return reads(tenant, async () => {
    const cursor = walks.pop();
    const path = cursor === undefined ? PAGE : `${PAGE}&cursor=${cursor}`;
    const [, next] = /"nextCursor":"([^"]+)"/.exec(await http.call({ method: 'GET', path, apiKey })) ?? [];
    if (next !== undefined) walks.push(next);
  });
}

export async function stats({ http, tenantOf }: RowContext): Promise<ActiveRow> {
  const tenant = await tenantOf('stats');
  return reads(tenant, () => http.call({ method: 'GET', path: 'gateway/stats', apiKey: tenant.apiKey }));
}

function reads(tenant: Tenant, read: () => Promise<unknown>): ActiveRow {
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds, lanes) =>
        closedLoop(seconds, lanes, async () => {
          await read();
          return 1;
        }),
    },
  };
}
