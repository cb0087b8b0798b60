import { Matches } from 'class-validator';
import { Variable } from '../environment';

export class RedisConfig {
  @Variable('REDIS_URL')
  @Matches(/^rediss?:\/\/\S+$/, { message: 'must be set to a redis:// or rediss:// address' })
  readonly url: string = '';

  /** Prefix of all keys and channels, so that services can share one Redis. */
  @Variable('REDIS_PREFIX')
  @Matches(/^[\w:-]{1,40}$/, { message: 'must be 1 to 40 letters, digits, _, - or :' })
  readonly prefix: string = 'messaging-gateway';
}
