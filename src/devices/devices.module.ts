import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { RollupsModule } from '../maintenance/rollups/rollups.module';
import { ConnectionRecorder } from './connection/connection-recorder.service';
import { ConnectionsRepository } from './connection/connections.repository';
import { Device, DeviceSchema } from './device.schema';
import { DeviceOutbox } from './events/device-outbox.repository';
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

/** Paired phones: registration, fields, default device. */
@Module({
  imports: [
    AuthModule,
    RollupsModule,
    MongooseModule.forFeature([{ name: Device.name, schema: DeviceSchema }]),
  ],
  controllers: [DevicesController],
  providers: [
    ConnectionRecorder,
    ConnectionsRepository,
    DeviceHeartbeatService,
    DeviceOutbox,
    DeviceRegistrationService,
    DeviceRemovalService,
    DeviceViews,
    DeviceWriter,
    DevicesRepository,
    DevicesService,
    PhoneKeyBindingService,
    RegistrationLease,
  ],
  exports: [
    ConnectionRecorder,
    ConnectionsRepository,
    DeviceHeartbeatService,
    DeviceOutbox,
    DevicesRepository,
    DevicesService,
  ],
})
export class DevicesModule {}
