import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { PushTransportName } from '../../common/push-transports';
import type { ConnectionState } from '../states/connection-state';
import type {
  AppVersionInfo,
  BatteryInfo,
  DeviceUptimeInfo,
  MemoryInfo,
  NetworkInfo,
  PowerInfo,
  StorageInfo,
  SystemInfo,
} from './reported-groups';
import { indexOutbox, OperationalDocument } from '../events/operational-document';

export const OS_VERSION_SOURCES = ['reported', 'fingerprint', 'buildId'] as const;
export type OsVersionSource = (typeof OS_VERSION_SOURCES)[number];

/** What a phone reports of a SIM. `SimRecord` is the SIM of the account. */
export interface SimInfoEntry {
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

/** The open or last stream of a phone. */
export interface StreamRecord {
  readonly id: Types.ObjectId;
  readonly openedAt: Date;
  /** Absent while the stream is open, and if the process that held it died. */
  readonly closedAt?: Date;
  /** Since when no process has taken messages for it: the one that held it may have died. */
  readonly untakenSince?: Date;
}

/** A request to a phone to upload again the texts that it received between `since` and `until`. */
export interface ExportRequest {
  readonly since: Date;
  readonly until: Date;
  /** When it was first made. */
  readonly begunAt: Date;
  /** Each stream that the phone opens until then repeats it. */
  readonly repeatedUntil: Date;
}

/** A paired phone. Responses contain the fields that `toDeviceResponse` names. */
@Schema({ collection: 'devices', versionKey: false })
export class Device extends OperationalDocument {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Whether both switches are on, see `setEnabled`. */
  @Prop({ type: Boolean })
  enabled!: boolean;

  /** The switch of the owner; absent: as `enabled`. */
  @Prop({ type: Boolean })
  enabledByOwner?: boolean;

  /** The switch of the phone; absent: on. */
  @Prop({ type: Boolean })
  enabledByPhone?: boolean;

  @Prop({ type: String })
  brand!: string;

  @Prop({ type: String })
  manufacturer!: string;

  @Prop({ type: String })
  model!: string;

  @Prop({ type: String })
  name?: string;

  @Prop({ type: String })
  buildId!: string;

  @Prop({ type: String })
  os!: string;

  @Prop({ type: String })
  osVersion!: string;

  @Prop({ type: Number })
  osApiLevel?: number;

  @Prop({ type: String })
  osVersionSource?: OsVersionSource;

  @Prop({ type: String })
  osBuildFingerprint?: string;

  @Prop({ type: String })
  appVersionName?: string;

  @Prop({ type: Number })
  appVersionCode?: number;

  @Prop({ type: Boolean })
  heartbeatEnabled!: boolean;

  @Prop({ type: Number })
  heartbeatIntervalMinutes!: number;

  @Prop({ type: Boolean })
  receiveSMSEnabled!: boolean;

  @Prop({ type: Number })
  smsSendDelaySeconds!: number;

  /** SMS parts a minute that the phone can send; null: any number; absent: `DEFAULT_PARTS_PER_MINUTE`. */
  @Prop({ type: Number })
  partsPerMinute?: number | null;

  /** Subscription id of the SIM for messages whose request names none, if the service has to choose. */
  @Prop({ type: Number })
  defaultSim?: number;

  /** Since when it takes no new messages, and hands those of pools to other phones. */
  @Prop({ type: Date })
  drainingSince?: Date;

  @Prop({ type: Date })
  lastHeartbeat?: Date;

  /** Last call of the phone, to within 15 seconds. */
  @Prop({ type: Date })
  lastContactAt?: Date;

  @Prop({ type: Object })
  batteryInfo?: BatteryInfo;

  @Prop({ type: Object })
  networkInfo?: NetworkInfo;

  @Prop({ type: Object })
  appVersionInfo?: AppVersionInfo;

  @Prop({ type: Object })
  deviceUptimeInfo?: DeviceUptimeInfo;

  @Prop({ type: Object })
  memoryInfo?: MemoryInfo;

  @Prop({ type: Object })
  storageInfo?: StorageInfo;

  @Prop({ type: Object })
  systemInfo?: SystemInfo;

  @Prop({ type: Object })
  powerInfo?: PowerInfo;

  @Prop({ type: Object })
  simInfo?: { lastUpdated: Date; sims: SimInfoEntry[] };

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;

  // The fields below are internal.

  @Prop({ type: String })
  pushTransport!: PushTransportName;

  /** Whether the phone handles cancellation requests, on its stream. */
  @Prop({ type: Boolean })
  supportsCancel?: boolean;

  /** Whether the app waits for the push service of its maker: it opens no stream, and fetches its messages every 15 minutes. */
  @Prop({ type: Boolean })
  usesOwnPush?: boolean;

  /** Whether the app decrypts messages. */
  @Prop({ type: Boolean })
  supportsEncryption?: boolean;

  /** Until when the parts handed to the phone occupy it at its `partsPerMinute`, in milliseconds since 1970. */
  @Prop({ type: Number })
  pacedUntil?: number;

  /** As `pacedUntil`, without the waves of large sends. */
  @Prop({ type: Number })
  smallSendsPacedUntil?: number;

  /** Push token of the app, for FCM. Secret. */
  @Prop({ type: String })
  fcmToken?: string;

  /** Since when a device of another account holds the phone's push token. */
  @Prop({ type: Date })
  pushTokenHeldAt?: Date;

  /** Hardware serial, which identifies a phone that registers again. Secret. */
  @Prop({ type: String })
  serial?: string;

  /** When to next check for missed heartbeats, to ask the phone for one by push: `HeartbeatCheckService`. */
  @Prop({ type: Date })
  probeDueAt?: Date;

  /** End of the last slot reserved on the phone's timeline of large sends. */
  @Prop({ type: Date })
  dispatchFreeAt?: Date;

  /** When to next check for unfinished messages of a deleted device; absent when there are none left. */
  @Prop({ type: Date })
  withdrawDueAt?: Date;

  /** Last answer of an app that acknowledges messages, also a report; absent if the app never acknowledges. */
  @Prop({ type: Date })
  lastAcknowledgedAt?: Date;

  /** When it was handed the first message that it has not answered in time; ends with its next answer. */
  @Prop({ type: Date })
  unansweredSince?: Date;

  @Prop({ type: Object })
  stream?: StreamRecord;

  /** The last one; absent if the phone was never asked. */
  @Prop({ type: Object })
  exportRequest?: ExportRequest;

  /** When an incoming message was last ignored because the device was disabled or receiving was off; to the hour. */
  @Prop({ type: Date })
  lastIgnoredSmsAt?: Date;

  /** Since when a phone behind FCM has no push token. */
  @Prop({ type: Date })
  pushTokenMissingSince?: Date;

  /** When it last came back online. */
  @Prop({ type: Date })
  onlineSince?: Date;

  /** When to next check whether its connection has changed, to raise an event: `ConnectionCheckService`. */
  @Prop({ type: Date })
  connectionCheckAt?: Date;

  /** The state of the last check; stays `online` until another state has lasted for 90 s. Changes from and to `online` raise events. */
  @Prop({ type: String })
  announcedState?: ConnectionState;

  /** Set when the device is deleted with its messages. */
  @Prop({ type: Boolean })
  deletesMessages?: boolean;

  /** Set when the device is deleted. The record stays, because its counts are part of the account's totals. */
  @Prop({ type: Date })
  deletedAt?: Date;

  /** The phone that has taken its place; set when it is deleted. What waits for it moves there. */
  @Prop({ type: Types.ObjectId })
  replacedBy?: Types.ObjectId;
}

export const DeviceSchema = SchemaFactory.createForClass(Device);
DeviceSchema.index({ user: 1, createdAt: 1, _id: 1 }); // devices and totals of an account
DeviceSchema.index({ user: 1, serial: 1 }, { unique: true, ...ifPresent('serial') }); // one device per phone
DeviceSchema.index({ fcmToken: 1 }, { unique: true, ...ifPresent('fcmToken') }); // one device per token
DeviceSchema.index({ probeDueAt: 1 }, { partialFilterExpression: { enabled: true, heartbeatEnabled: true } }); // scheduler: heartbeats to check
DeviceSchema.index({ connectionCheckAt: 1 }, { partialFilterExpression: { enabled: true } }); // scheduler: connections to check
DeviceSchema.index({ withdrawDueAt: 1 }, ifPresent('withdrawDueAt')); // scheduler: unfinished messages of deleted devices
DeviceSchema.index({ lastHeartbeat: 1 }, { partialFilterExpression: { enabled: true } }); // metrics: devices by last heartbeat
DeviceSchema.index({ announcedState: 1 }, { partialFilterExpression: { enabled: true } }); // metrics: devices by connection
indexOutbox(DeviceSchema);
