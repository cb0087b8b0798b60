import { BullModule } from '@nestjs/bull';
import type { DynamicModule } from '@nestjs/common';
import type { AdvancedSettings } from 'bull';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { QueueConnections } from './queue-connections';

/**
 * How long Bull waits for a job, and for one that is delayed, before it asks Redis again. By default it asks every 5 s; the schedulers find jobs that
 * it misses in the meantime.
 */
const IDLE_MS = MINUTE_MS;

const SETTINGS: AdvancedSettings = { drainDelay: IDLE_MS / SECOND_MS, guardInterval: IDLE_MS };

/**
 * In a cluster and with sentinels a pause would delay the notice that a server does not answer, and after an error another one may have the
 * queue at once.
 */
const SETTINGS_WITH_FAILOVER: AdvancedSettings = { retryProcessDelay: SECOND_MS };

/** Registers a queue. Its keys share a hash tag, because the scripts of Bull need them on one node of a Redis Cluster. */
export const registerQueue = (name: string): DynamicModule =>
  BullModule.registerQueueAsync({
    name,
    inject: [RedisConfig, QueueConnections],
    useFactory: ({ prefix: ofService, location }: RedisConfig, connections: QueueConnections) => {
      const prefix = `{${ofService}:${name}}`;
      return {
        prefix,
        createClient: (type, options) => connections.open(prefix, type, options),
        settings: location.kind === 'server' ? SETTINGS : SETTINGS_WITH_FAILOVER,
      };
    },
  });
