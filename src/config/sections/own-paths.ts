/** The first part of each address of a page of the dashboard; `dashboard/src/router.tsx` has the pages. */
export const DASHBOARD_PAGES = [
  'account',
  'api-keys',
  'campaigns',
  'contacts',
  'conversations',
  'loop-test',
  'messages',
  'operations',
  'opt-outs',
  'phones',
  'pools',
  'reset-password',
  'send',
  'sign-in',
  'webhooks',
] as const;

/** The first parts of all paths at the root of the service; a configured path must not begin with one. */
export const OWN_PATHS: readonly string[] = [
  'admin',
  'api',
  'assets',
  'docs',
  'docs-json',
  'health',
  'metrics',
  ...DASHBOARD_PAGES,
];
