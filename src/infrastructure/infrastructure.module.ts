import { DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ClockModule } from '../common/clock';
import { LiveModule } from './live/live.module';
import { MetricsModule } from './metrics/metrics.module';
import { PersistenceModule } from './mongo/persistence.module';
import { QueuesModule } from './queues/queues.module';
import { RedisModule } from './redis/redis.module';
import { SweepsModule } from './sweeps/sweeps.module';
import { ConfigModule } from '../config/config.module';
import { Configuration } from '../config/configuration';

/** The shared infrastructure of all feature modules. */
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
        LiveModule,
        QueuesModule,
        ScheduleModule.forRoot(),
        SweepsModule,
      ],
    };
  }
}
