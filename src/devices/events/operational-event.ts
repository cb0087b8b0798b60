import type { Types } from 'mongoose';
import { Outbox } from '../../infrastructure/mongo/outbox';
import type { ConnectionState } from '../connection/connection-state';

/** Events of devices, stored in the outbox of their document. Subscriptions opt in to them. */
export const OPERATIONAL_EVENTS = ['DEVICE_OFFLINE', 'DEVICE_ONLINE'] as const;
export type OperationalEvent = (typeof OPERATIONAL_EVENTS)[number];

/** Times are in ISO format. */
export interface DeviceEventDetails {
  readonly name?: string;
  readonly brand: string;
  readonly model: string;
  readonly state: ConnectionState;
  readonly since: string;
  readonly lastContactAt?: string;
  /** Messages that the phone was handed and has neither acknowledged nor reported. */
  readonly pendingCount: number;
}

/** The fields of each event beside the envelope, as they were when it was raised. */
export interface OperationalDetails {
  readonly DEVICE_OFFLINE: DeviceEventDetails;
  readonly DEVICE_ONLINE: DeviceEventDetails;
}

/** An operational event in an outbox, written by the update that raised it. */
export interface OperationalEntry<Event extends OperationalEvent = OperationalEvent> {
  /** The occurrence: each subscription gets one delivery of it. */
  readonly id: Types.ObjectId;
  readonly event: Event;
  readonly at: Date;
  readonly details: OperationalDetails[Event];
}

/** The outbox of a collection whose documents raise operational events. */
export abstract class OperationalOutbox<Document> extends Outbox<Document, OperationalEntry> {
  protected keyOf({ id }: OperationalEntry): string {
    return id.toHexString();
  }

  protected isEntry({ id }: OperationalEntry): object {
    return { $eq: ['$$entry.id', id] };
  }
}
