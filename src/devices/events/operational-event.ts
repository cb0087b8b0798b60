import type { Types } from 'mongoose';
import type { ConnectionState } from '../states/connection-state';
import type { BlockKind, BreakerState } from '../states/breaker-state';
import type { PeriodLimit } from '../states/wait-reasons';

/** Events of devices and SIMs, stored in the outbox of their document. Subscriptions opt in to them. */
export const OPERATIONAL_EVENTS = [
  'DEVICE_OFFLINE',
  'DEVICE_ONLINE',
  'SIM_UNHEALTHY',
  'SIM_LIMIT_REACHED',
] as const;
export type OperationalEvent = (typeof OPERATIONAL_EVENTS)[number];
export type DeviceEvent = Extract<OperationalEvent, `DEVICE_${string}`>;

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

/** The SIM that an event is about. */
export interface EventSim {
  readonly simId: string;
  readonly label?: string;
  readonly phoneNumber?: string;
  readonly carrierName?: string;
  /** In the phone of the event. */
  readonly subscriptionId?: number;
}

/** Times are in ISO format. */
export interface SimUnhealthyDetails {
  readonly state: BreakerState;
  readonly kind: BlockKind;
  readonly since: string;
  /** Between 0 and 1. */
  readonly failureRate: number;
}

/** Times are in ISO format. */
export interface SimLimitDetails {
  readonly limit: PeriodLimit;
  /** The limit as it is set. */
  readonly value: number;
  /** When the period ends. */
  readonly resetsAt: string;
}

/** The fields of each event beside the envelope, as they were when it was raised. */
export interface OperationalDetails {
  readonly DEVICE_OFFLINE: DeviceEventDetails;
  readonly DEVICE_ONLINE: DeviceEventDetails;
  readonly SIM_UNHEALTHY: EventSim & SimUnhealthyDetails;
  readonly SIM_LIMIT_REACHED: EventSim & SimLimitDetails;
}

/** An operational event in an outbox, written by the update that raised it. */
export interface OperationalEntry<Event extends OperationalEvent = OperationalEvent> {
  /** The occurrence: each subscription gets one delivery of it. */
  readonly id: Types.ObjectId;
  readonly event: Event;
  readonly at: Date;
  /** The device that it is about; absent for a SIM whose phone was deleted. */
  readonly device?: Types.ObjectId;
  readonly details: OperationalDetails[Event];
}
