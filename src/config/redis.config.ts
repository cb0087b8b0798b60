import { Matches } from 'class-validator';
import { Variable } from './environment';

export class RedisConfig {
  @Variable('REDIS_URL')
  @Matches(/^rediss?:\/\/\S+$/, { message: 'must be set to a redis:// or rediss:// address' })
  readonly url: string = '';
}
