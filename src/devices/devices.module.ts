import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { TotalsModule } from '../totals/totals.module';
import { AccountCountries } from './account-countries.service';
import { ConnectionRecorder } from './connection/connection-recorder.service';
import { ConnectionsRepository } from './connection/connections.repository';
import { DeviceOutbox, OperationalOutboxes, SimOutbox } from './outbox/operational-outboxes';
import { DeviceHeartbeatService } from './device-heartbeat.service';
import { DeviceRemovalService } from './device-removal.service';
import { DeviceRegistrationService } from './registration/device-registration.service';
import { DeviceWriter } from './registration/device-writer.service';
import { DevicesService } from './devices.service';
import { DeviceStoreModule } from './store/device-store.module';
import { SimsModule } from './sims/sims.module';
import { PhoneFactsReader } from './problems/phone-facts.service';
import { PhoneKeyBindingService } from './registration/phone-key-binding.service';
import { RegistrationLease } from './registration/registration-lease';

/** What other modules use too. */
const SERVICES = [
  AccountCountries,
  ConnectionRecorder,
  ConnectionsRepository,
  DeviceHeartbeatService,
  DevicesService,
  OperationalOutboxes,
  PhoneFactsReader,
];

/** Paired phones: registration, fields, default device, connection; with their SIMs. */
@Module({
  imports: [AuthModule, TotalsModule, DeviceStoreModule, SimsModule],
  providers: [
    ...SERVICES,
    DeviceOutbox,
    DeviceRegistrationService,
    DeviceRemovalService,
    DeviceWriter,
    PhoneKeyBindingService,
    RegistrationLease,
    SimOutbox,
  ],
  exports: [DeviceStoreModule, SimsModule, ...SERVICES],
})
export class DevicesModule {}
