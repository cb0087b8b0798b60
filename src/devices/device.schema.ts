import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const PUSH_TRANSPORTS = ['fcm', 'stream'] as const;
export type PushTransportName = (typeof PUSH_TRANSPORTS)[number];

export const OS_VERSION_SOURCES = ['reported', 'fingerprint', 'buildId'] as const;
export type OsVersionSource = (typeof OS_VERSION_SOURCES)[number];

/** Spec, SIM. */
export interface Sim {
  subscriptionId: number;
  iccId?: string;
  cardId?: number;
  carrierName?: string;
  displayName?: string;
  simSlotIndex?: number;
  mcc?: string;
  mnc?: string;
  countryIso?: string;
  subscriptionType?: string;
}

/** What of a device's totals was counted in messages that are removed. */
export interface RemovedTotals {
  sent: number;
  received: number;
  /** The last chunk these figures hold. */
  chunk: Types.ObjectId;
}

/** A group of facts from a heartbeat, with the time it was last heard. */
export type Reported<Facts> = Partial<Facts> & { lastUpdated: Date };

/** A paired phone. The fields are the specification's; those it never returns stand at the end. */
@Schema({ collection: 'devices', versionKey: false })
export class Device {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: Boolean, required: true })
  enabled!: boolean;

  @Prop({ type: String, required: true })
  brand!: string;

  @Prop({ type: String, required: true })
  manufacturer!: string;

  @Prop({ type: String, required: true })
  model!: string;

  @Prop({ type: String })
  name?: string;

  @Prop({ type: String, required: true })
  buildId!: string;

  @Prop({ type: String, required: true })
  os!: string;

  @Prop({ type: String, required: true })
  osVersion!: string;

  @Prop({ type: Number })
  osApiLevel?: number;

  @Prop({ type: String, enum: OS_VERSION_SOURCES })
  osVersionSource?: OsVersionSource;

  @Prop({ type: String })
  osBuildFingerprint?: string;

  @Prop({ type: String })
  appVersionName?: string;

  @Prop({ type: Number })
  appVersionCode?: number;

  @Prop({ type: Number, required: true })
  sentSMSCount!: number;

  @Prop({ type: Number, required: true })
  receivedSMSCount!: number;

  @Prop({ type: Boolean, required: true })
  heartbeatEnabled!: boolean;

  @Prop({ type: Number, required: true })
  heartbeatIntervalMinutes!: number;

  @Prop({ type: Boolean, required: true })
  receiveSMSEnabled!: boolean;

  @Prop({ type: Number, required: true })
  smsSendDelaySeconds!: number;

  @Prop({ type: Date })
  lastHeartbeat?: Date;

  @Prop({ type: Object })
  batteryInfo?: Reported<{ percentage: number; isCharging: boolean }>;

  @Prop({ type: Object })
  networkInfo?: Reported<{ networkType: string }>;

  @Prop({ type: Object })
  appVersionInfo?: Reported<{ versionName: string; versionCode: number }>;

  @Prop({ type: Object })
  deviceUptimeInfo?: Reported<{ uptimeMillis: number }>;

  @Prop({ type: Object })
  memoryInfo?: Reported<{ freeBytes: number; totalBytes: number; maxBytes: number }>;

  @Prop({ type: Object })
  storageInfo?: Reported<{ availableBytes: number; totalBytes: number }>;

  @Prop({ type: Object })
  systemInfo?: Reported<{ timezone: string; locale: string }>;

  @Prop({ type: Object })
  powerInfo?: Reported<{
    isIgnoringBatteryOptimizations: boolean;
    isDeviceIdleMode: boolean;
    isPowerSaveMode: boolean;
  }>;

  @Prop({ type: Object })
  simInfo?: { lastUpdated: Date; sims: Sim[] };

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;

  @Prop({ type: String, enum: PUSH_TRANSPORTS, required: true })
  pushTransport!: PushTransportName;

  /** Whether the phone takes back messages it is asked not to send; only on its stream. */
  @Prop({ type: Boolean })
  supportsCancel?: boolean;

  /** Whether the app decrypts what it is handed. */
  @Prop({ type: Boolean })
  supportsEncryption?: boolean;

  /** Where the push service finds the phone. */
  @Prop({ type: String })
  fcmToken?: string;

  /** Since when the token that the phone reports is another account's; absent when it has its token. */
  @Prop({ type: Date })
  pushTokenHeldAt?: Date;

  /** The hardware's serial: how a phone that registers again is recognised. */
  @Prop({ type: String })
  serial?: string;

  /** When to look whether the phone has fallen silent; moved on, in one write, by whoever looks. */
  @Prop({ type: Date })
  probeDueAt?: Date;

  /** When the phone's own timeline of large sends is free again. */
  @Prop({ type: Date })
  dispatchFreeAt?: Date;

  @Prop({ type: Object })
  removed?: RemovedTotals;

  /** When to end what was handed to the deleted device, until that is done. */
  @Prop({ type: Date })
  withdrawDueAt?: Date;

  /** Set when the device was deleted. The record stays: its id is never reused and its counts still count. */
  @Prop({ type: Date })
  deletedAt?: Date;
}

export const DeviceSchema = SchemaFactory.createForClass(Device);
DeviceSchema.index({ user: 1, createdAt: 1 }); // the devices of an account; its totals
DeviceSchema.index(
  { user: 1, serial: 1 },
  { unique: true, partialFilterExpression: { serial: { $exists: true } } },
); // the same phone is one device
DeviceSchema.index(
  { fcmToken: 1 },
  { unique: true, partialFilterExpression: { fcmToken: { $exists: true } } },
); // a token belongs to one device
DeviceSchema.index({ probeDueAt: 1 }, { partialFilterExpression: { enabled: true, heartbeatEnabled: true } }); // the sweep for phones that have fallen silent
DeviceSchema.index({ withdrawDueAt: 1 }, { partialFilterExpression: { withdrawDueAt: { $exists: true } } }); // sweeper: deleted devices whose messages are to be ended
DeviceSchema.index({ lastHeartbeat: 1 }, { partialFilterExpression: { enabled: true } }); // metrics: how many were heard lately, long ago and never
