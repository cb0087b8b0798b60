import { closedLoop } from '../closed-loop';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import type { Tenants } from '../tenants';
import type { ActiveRow } from './row';

const PAGE = 'gateway/messages?limit=50';

/** The first page of 50 with the total, which is the default. */
export async function listPage({ http, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('list_page');
  return reads(tenants, ({ apiKey }) => http.call({ method: 'GET', path: PAGE, apiKey }));
}

/** Pages of 50 by cursor, without totals. */
export async function listCursor({ http, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('list_cursor');
  const walks = new Map(tenants.all.map(({ apiKey }): [string, string[]] => [apiKey, []]));
  return reads(tenants, async ({ apiKey }) => {
    const cursor = walks.get(apiKey)?.pop();
    const path = cursor === undefined ? PAGE : `${PAGE}&cursor=${cursor}`;
    const [, next] = /"nextCursor":"([^"]+)"/.exec(await http.call({ method: 'GET', path, apiKey })) ?? [];
    if (next !== undefined) walks.get(apiKey)?.push(next);
  });
}

export async function stats({ http, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('stats');
  return reads(tenants, ({ apiKey }) => http.call({ method: 'GET', path: 'gateway/stats', apiKey }));
}

function reads(tenants: Tenants, read: (tenant: Tenant) => Promise<unknown>): ActiveRow {
  return {
    owner: tenants.first,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds, lanes) =>
        closedLoop(seconds, lanes, async (lane) => {
          await read(tenants.of(lane));
          return 1;
        }),
    },
  };
}
