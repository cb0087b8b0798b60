export const CONNECTION_STATES = ['online', 'unresponsive', 'offline'] as const;
/** `unresponsive`: reachable, but it does not answer. `offline`: not reachable. */
export type ConnectionState = (typeof CONNECTION_STATES)[number];
