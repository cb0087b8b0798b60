import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { type EntryIdentity, Outbox } from '../../infrastructure/mongo/outbox';
import { Device } from '../store/device.schema';
import { SimRecord } from '../sims/schemas/sim.schema';
import type { OperationalEntry } from '../events/operational-event';

const IDENTITY: EntryIdentity<OperationalEntry> = {
  keyOf: ({ id }) => id.toHexString(),
  isEntry: ({ id }) => ({ $eq: ['$$entry.id', id] }),
};

@Injectable()
export class DeviceOutbox extends Outbox<Device, OperationalEntry> {
  constructor(@InjectModel(Device.name) devices: Model<Device>) {
    super(devices, IDENTITY);
  }
}

@Injectable()
export class SimOutbox extends Outbox<SimRecord, OperationalEntry> {
  constructor(@InjectModel(SimRecord.name) sims: Model<SimRecord>) {
    super(sims, IDENTITY);
  }
}

@Injectable()
export class OperationalOutboxes {
  constructor(
    readonly devices: DeviceOutbox,
    readonly sims: SimOutbox,
  ) {}
}
