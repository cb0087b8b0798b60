import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { OperationalOutbox } from './operational-event';
import { Device } from '../device.schema';

/** The outbox of devices. */
@Injectable()
export class DeviceOutbox extends OperationalOutbox<Device> {
  constructor(@InjectModel(Device.name) devices: Model<Device>) {
    super(devices);
  }
}
