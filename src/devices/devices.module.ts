import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { Device, DeviceSchema } from './device.schema';
import { DeviceTotalsRepository } from './device-totals.repository';
import { DevicesController } from './devices.controller';
import { DevicesRepository } from './devices.repository';
import { DevicesService } from './devices.service';

/** The registry of paired phones: identity, fields, default device. */
@Module({
  imports: [AuthModule, MongooseModule.forFeature([{ name: Device.name, schema: DeviceSchema }])],
  controllers: [DevicesController],
  providers: [DeviceTotalsRepository, DevicesRepository, DevicesService],
  exports: [DeviceTotalsRepository, DevicesRepository, DevicesService],
})
export class DevicesModule {}
