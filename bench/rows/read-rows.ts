import { closedLoop } from '../closed-loop';
import type { Stage } from '../stage';
import type { Tenant } from '../tenant';
import type { Begun } from './row';

const PAGE = 'gateway/messages?limit=50';

/** The first page of 50 with the total, as the list answers unless it is asked otherwise. */
export async function listPage({ http, tenantOf }: Stage): Promise<Begun> {
  const tenant = await tenantOf('list_page');
  return reads(tenant, () => http.call({ method: 'GET', path: PAGE, apiKey: tenant.apiKey }));
}

/** Pages of 50, each by the cursor of the one before it: without totals. */
export async function listCursor({ http, tenantOf }: Stage): Promise<Begun> {
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

export async function stats({ http, tenantOf }: Stage): Promise<Begun> {
  const tenant = await tenantOf('stats');
  return reads(tenant, () => http.call({ method: 'GET', path: 'gateway/stats', apiKey: tenant.apiKey }));
}

function reads(tenant: Tenant, read: () => Promise<unknown>): Begun {
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
