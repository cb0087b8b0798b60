import type { RedisOptions } from 'ioredis';
import type { RedisAccess } from '../../config/sections/redis-hosts';
import type { RedisLocation } from '../../config/sections/redis.config';

export type SentinelLocation = Extract<RedisLocation, { kind: 'sentinel' }>;
export type ClusterLocation = Extract<RedisLocation, { kind: 'cluster' }>;

export const accessOptions = ({ username, password, tls }: RedisAccess): RedisOptions => ({
  username,
  password,
  ...(tls && { tls: {} }),
});

/** The options of ioredis for a connection to the master. */
export const sentinelOptions = ({
  sentinels: { hosts, access },
  master,
}: SentinelLocation): RedisOptions => ({
  ...accessOptions(master.access),
  db: master.database,
  name: master.name,
  sentinels: [...hosts],
  sentinelUsername: access.username,
  sentinelPassword: access.password,
  ...(access.tls && { sentinelTLS: {} }),
  enableTLSForSentinelMode: master.access.tls,
});
