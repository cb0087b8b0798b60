import { IsNotEmpty, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { Variable } from '../environment/environment';
import { parseRedisHosts, parseRedisMaster, type RedisHosts, type RedisMaster } from './redis-hosts';

const DEFAULT_PORT = 6_379;
const DEFAULT_SENTINEL_PORT = 26_379;

/** Where Redis is. */
export type RedisLocation =
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'sentinel'; readonly sentinels: RedisHosts; readonly master: RedisMaster }
  | { readonly kind: 'cluster'; readonly nodes: RedisHosts };

const Is = (isValid: (text: string) => boolean, message: string) =>
  ValidateBy(
    { name: 'isValid', validator: { validate: (text) => typeof text === 'string' && isValid(text) } },
    { message },
  );

/** @param others reads the settings that exclude this one. */
const IsAlone = (others: (config: RedisConfig) => Readonly<Record<string, string | undefined>>) => {
  const given = (config: RedisConfig) => Object.entries(others(config)).filter(([, value]) => value);
  return ValidateBy({
    name: 'isAlone',
    validator: {
      validate: (_, context) => given(context?.object as RedisConfig).length === 0,
      defaultMessage: (context) => {
        const names = given(context?.object as RedisConfig).map(([name]) => name);
        return `must not be set together with ${names.join(' and ')}: set one of them`;
      },
    },
  });
};

export class RedisConfig {
  @Variable('REDIS_URL')
  @ValidateIf(({ url, sentinels, clusterNodes }: RedisConfig) => url !== '' || !(sentinels ?? clusterNodes))
  @Matches(/^rediss?:\/\/\S+$/, {
    message:
      'must be set to a redis:// or rediss:// address, if neither REDIS_SENTINELS nor REDIS_CLUSTER_NODES is',
  })
  readonly url: string = '';

  @Variable('REDIS_SENTINELS')
  @ValidateIf(({ sentinels }: RedisConfig) => sentinels !== undefined)
  @Is(
    (text) => parseRedisHosts(text, DEFAULT_SENTINEL_PORT) !== undefined,
    'must be the sentinels, as host:port,host:port or rediss://user:password@host:port,host:port',
  )
  @IsAlone(({ url }) => ({ REDIS_URL: url }))
  readonly sentinels?: string;

  @Variable('REDIS_SENTINEL_MASTER')
  @ValidateIf(({ sentinels, sentinelMaster }: RedisConfig) => Boolean(sentinels ?? sentinelMaster))
  @Is(
    (text) => parseRedisMaster(text) !== undefined,
    'must be the name of the master, such as mymaster or rediss://user:password@mymaster',
  )
  @ValidateBy(
    {
      name: 'hasSentinels',
      validator: { validate: (_, context) => (context?.object as RedisConfig).sentinels !== undefined },
    },
    { message: 'is of use only with REDIS_SENTINELS' },
  )
  @IsNotEmpty({ message: 'must be set too: REDIS_SENTINELS needs the name of the master' })
  readonly sentinelMaster?: string;

  @Variable('REDIS_CLUSTER_NODES')
  @ValidateIf(({ clusterNodes }: RedisConfig) => clusterNodes !== undefined)
  @Is(
    (text) => parseRedisHosts(text, DEFAULT_PORT) !== undefined,
    'must be nodes of the cluster, as host:port,host:port or rediss://user:password@host:port,host:port',
  )
  @IsAlone(({ url, sentinels }) => ({ REDIS_URL: url, REDIS_SENTINELS: sentinels }))
  readonly clusterNodes?: string;

  /** Prefix of all keys and channels, so that services can share one Redis. */
  @Variable('REDIS_PREFIX')
  @Matches(/^[\w:-]{1,40}$/, { message: 'must be 1 to 40 letters, digits, _, - or :' })
  readonly prefix: string = 'messaging-gateway';

  get location(): RedisLocation {
    const sentinels = this.sentinels && parseRedisHosts(this.sentinels, DEFAULT_SENTINEL_PORT);
    const master = this.sentinelMaster && parseRedisMaster(this.sentinelMaster);
    if (sentinels && master) return { kind: 'sentinel', sentinels, master };
    const nodes = this.clusterNodes && parseRedisHosts(this.clusterNodes, DEFAULT_PORT);
    if (nodes) return { kind: 'cluster', nodes };
    return { kind: 'server', url: this.url };
  }
}
