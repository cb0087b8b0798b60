import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Outbox } from '../../infrastructure/mongo/outbox';
import { Device } from '../device.schema';
import { SimRecord } from '../sims/sim.schema';
import type { OperationalEntry } from './operational-event';

/** The outbox of a collection whose documents raise operational events. */
export abstract class OperationalOutbox<Document> extends Outbox<Document, OperationalEntry> {
  protected keyOf({ id }: OperationalEntry): string {
    return id.toHexString();
  }

  protected isEntry({ id }: OperationalEntry): object {
    return { $eq: ['$$entry.id', id] };
  }
}

@Injectable()
export class DeviceOutbox extends OperationalOutbox<Device> {
  constructor(@InjectModel(Device.name) devices: Model<Device>) {
    super(devices);
  }
}

@Injectable()
export class SimOutbox extends OperationalOutbox<SimRecord> {
  constructor(@InjectModel(SimRecord.name) sims: Model<SimRecord>) {
    super(sims);
  }
}

/** The outboxes of operational events. */
@Injectable()
export class OperationalOutboxes {
  constructor(
    readonly devices: DeviceOutbox,
    readonly sims: SimOutbox,
  ) {}
}
