import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { TotalsModule } from '../totals/totals.module';
import { AccountCountries } from './account-countries.service';
import { ConnectionRecorder } from './connection/connection-recorder.service';
import { ConnectionsRepository } from './connection/connections.repository';
import { Device, DeviceSchema } from './store/device.schema';
import { DeviceOutbox, OperationalOutboxes, SimOutbox } from './outbox/operational-outboxes';
import { DeviceHeartbeatService } from './device-heartbeat.service';
import { DeviceRemovalService } from './device-removal.service';
import { DeviceRegistrationService } from './registration/device-registration.service';
import { DeviceWriter } from './registration/device-writer.service';
import { DevicesRepository } from './store/devices.repository';
import { DevicesService } from './devices.service';
import { PhoneFactsReader } from './problems/phone-facts.service';
import { PhoneKeyBindingService } from './registration/phone-key-binding.service';
import { RegistrationLease } from './registration/registration-lease';
import { Pool, PoolSchema } from './sims/pools/pool.schema';
import { PoolsRepository } from './sims/pools/pools.repository';
import { SimHealthRepository } from './sims/sim-health.repository';
import { SimHealthService } from './sims/sim-health.service';
import { SimAdmission } from './sims/sim-admission.service';
import { SimRecord, SimRecordSchema } from './sims/store/sim.schema';
import { SimSync } from './sims/sim-sync.service';
import { SimUsageRepository } from './sims/sim-usage.repository';
import { SimUsageModel, SimUsageSchema } from './sims/store/sim-usage.schema';
import { SimsRepository } from './sims/sims.repository';
import { SimsService } from './sims/sims.service';

/** What other modules use too. */
const SERVICES = [
  AccountCountries,
  ConnectionRecorder,
  ConnectionsRepository,
  DeviceHeartbeatService,
  DevicesRepository,
  DevicesService,
  OperationalOutboxes,
  PhoneFactsReader,
  PoolsRepository,
  SimAdmission,
  SimHealthRepository,
  SimHealthService,
  SimUsageRepository,
  SimsRepository,
  SimsService,
];

/** Paired phones and their SIMs: registration, fields, default device, limits. */
@Module({
  imports: [
    AuthModule,
    TotalsModule,
    MongooseModule.forFeature([
      { name: Device.name, schema: DeviceSchema },
      { name: SimRecord.name, schema: SimRecordSchema },
      { name: Pool.name, schema: PoolSchema },
      { name: SimUsageModel.name, schema: SimUsageSchema },
    ]),
  ],
  providers: [
    ...SERVICES,
    DeviceOutbox,
    DeviceRegistrationService,
    DeviceRemovalService,
    DeviceWriter,
    PhoneKeyBindingService,
    RegistrationLease,
    SimOutbox,
    SimSync,
  ],
  exports: SERVICES,
})
export class DevicesModule {}
