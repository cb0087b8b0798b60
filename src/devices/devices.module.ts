import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { RollupsModule } from '../maintenance/rollups/rollups.module';
import { ConnectionRecorder } from './connection/connection-recorder.service';
import { ConnectionsRepository } from './connection/connections.repository';
import { Device, DeviceSchema } from './device.schema';
import { DeviceHeartbeatService } from './device-heartbeat.service';
import { DeviceRegistrationService } from './device-registration.service';
import { DeviceRemovalService } from './device-removal.service';
import { DeviceViews } from './device-views.service';
import { DeviceWriter } from './device-writer.service';
import { DevicesController } from './devices.controller';
import { DevicesRepository } from './devices.repository';
import { DevicesService } from './devices.service';
import { PhoneKeyBindingService } from './phone-key-binding.service';
import { RegistrationLease } from './registration-lease';
import { Pool, PoolSchema } from './sims/pools/pool.schema';
import { PoolsRepository } from './sims/pools/pools.repository';
import { SimAdmission } from './sims/sim-admission.service';
import { SimRecord, SimRecordSchema } from './sims/sim.schema';
import { SimSync } from './sims/sim-sync.service';
import { SimUsageRepository } from './sims/sim-usage.repository';
import { SimUsageModel, SimUsageSchema } from './sims/sim-usage.schema';
import { SimsController } from './sims/sims.controller';
import { SimsRepository } from './sims/sims.repository';
import { SimsService } from './sims/sims.service';

/** Paired phones and their SIMs: registration, fields, default device, limits. */
@Module({
  imports: [
    AuthModule,
    RollupsModule,
    MongooseModule.forFeature([
      { name: Device.name, schema: DeviceSchema },
      { name: SimRecord.name, schema: SimRecordSchema },
      { name: Pool.name, schema: PoolSchema },
      { name: SimUsageModel.name, schema: SimUsageSchema },
    ]),
  ],
  controllers: [DevicesController, SimsController],
  providers: [
    ConnectionRecorder,
    ConnectionsRepository,
    DeviceHeartbeatService,
    DeviceRegistrationService,
    DeviceRemovalService,
    DeviceViews,
    DeviceWriter,
    DevicesRepository,
    DevicesService,
    PhoneKeyBindingService,
    PoolsRepository,
    RegistrationLease,
    SimAdmission,
    SimsRepository,
    SimsService,
    SimSync,
    SimUsageRepository,
  ],
  exports: [
    ConnectionRecorder,
    ConnectionsRepository,
    DeviceHeartbeatService,
    DevicesRepository,
    DevicesService,
    PoolsRepository,
    SimAdmission,
    SimsRepository,
    SimsService,
    SimUsageRepository,
  ],
})
export class DevicesModule {}
