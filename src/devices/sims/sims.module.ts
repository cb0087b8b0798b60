import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DeviceStoreModule } from '../store/device-store.module';
import { Pool, PoolSchema } from './pools/pool.schema';
import { PoolsRepository } from './pools/pools.repository';
import { SimAdmission } from './sim-admission.service';
import { SimHealthRepository } from './sim-health.repository';
import { SimHealthService } from './sim-health.service';
import { SimSync } from './sim-sync.service';
import { SimUsageRepository } from './sim-usage.repository';
import { SimsRepository } from './sims.repository';
import { SimsService } from './sims.service';
import { TimelinesRepository } from './timelines.repository';
import { SimRecord, SimRecordSchema } from './schemas/sim.schema';
import { SimUsageModel, SimUsageSchema } from './schemas/sim-usage.schema';

const COLLECTIONS = MongooseModule.forFeature([
  { name: SimRecord.name, schema: SimRecordSchema },
  { name: Pool.name, schema: PoolSchema },
  { name: SimUsageModel.name, schema: SimUsageSchema },
]);

const SERVICES = [
  PoolsRepository,
  SimAdmission,
  SimHealthRepository,
  SimHealthService,
  SimSync,
  SimUsageRepository,
  SimsRepository,
  SimsService,
  TimelinesRepository,
];

/** The SIMs of phones: limits, health and pools; and the timelines of SIMs and phones. */
@Module({
  imports: [DeviceStoreModule, COLLECTIONS],
  providers: SERVICES,
  exports: [COLLECTIONS, ...SERVICES],
})
export class SimsModule {}
