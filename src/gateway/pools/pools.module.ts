import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { DevicesModule } from '../../devices/devices.module';
import { SendersModule } from '../senders/senders.module';
import { PoolSimulationService } from './pool-simulation.service';
import { PoolsService } from './pools.service';

/** The pools of an account, for their owner. */
@Module({
  imports: [AuthModule, DevicesModule, SendersModule],
  providers: [PoolSimulationService, PoolsService],
  exports: [PoolSimulationService, PoolsService],
})
export class PoolsModule {}
