import { DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ClockModule } from './common/clock';
import { MetricsModule } from './common/metrics.module';
import { PersistenceModule } from './common/persistence/persistence.module';
import { QueuesModule } from './common/redis/queues.module';
import { RedisModule } from './common/redis/redis.module';
import { ConfigModule } from './config/config.module';
import { Configuration } from './config/configuration';

/** What every feature module stands on: configuration, clock, metrics, database, Redis, queues, timers. */
@Module({})
export class InfrastructureModule {
  static register(configuration: Configuration): DynamicModule {
    return {
      module: InfrastructureModule,
      imports: [
        ConfigModule.register(configuration),
        ClockModule,
        MetricsModule,
        PersistenceModule,
        RedisModule,
        QueuesModule,
        ScheduleModule.forRoot(),
      ],
    };
  }
}
