import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Device, DeviceSchema } from './device.schema';
import { DevicesRepository } from './devices.repository';

const DEVICES = MongooseModule.forFeature([{ name: Device.name, schema: DeviceSchema }]);

/** The stored phones. */
@Module({ imports: [DEVICES], providers: [DevicesRepository], exports: [DEVICES, DevicesRepository] })
export class DeviceStoreModule {}
