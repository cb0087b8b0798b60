import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { OpsModule } from './ops.module';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';

/** Health and metrics. */
@Module({
  imports: [AuthModule, OpsModule],
  controllers: [HealthController, MetricsController],
})
export class OpsHttpModule {}
