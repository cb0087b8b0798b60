import type { Device } from '../device.schema';
import type { DeviceAttributes } from '../device-attributes';
import { missedHeartbeatsAt } from '../connection/missed-heartbeats';

/** Stored for attributes the phone did not report. */
export const UNKNOWN = 'unknown';

export type KnownDevice = Pick<
  Device,
  '_id' | 'serial' | 'fcmToken' | 'brand' | 'model' | 'buildId' | 'lastHeartbeat' | 'heartbeatIntervalMinutes'
>;

/** No heartbeat for two intervals, or none at all. */
function hasMissedHeartbeats(device: KnownDevice, now: Date): boolean {
  return !device.lastHeartbeat || missedHeartbeatsAt(device.lastHeartbeat, device) < now;
}

const modelOf = ({ brand, model, buildId }: Pick<DeviceAttributes, 'brand' | 'model' | 'buildId'>) => [
  brand,
  model,
  buildId,
];

function isSameModel(known: KnownDevice, attributes: DeviceAttributes): boolean {
  const stored = modelOf(known);
  return modelOf(attributes).every(
    (reported, index) => reported !== undefined && reported !== UNKNOWN && stored[index] === reported,
  );
}

/** Finds the device with the phone's serial, or else with its push token. */
export function matchByIdentity<Known extends KnownDevice>(
  devices: readonly Known[],
  { serial, fcmToken }: DeviceAttributes,
): Known | undefined {
  const bySerial = serial ? devices.find((device) => device.serial === serial) : undefined;
  const byToken = fcmToken ? devices.find((device) => device.fcmToken === fcmToken) : undefined;
  return bySerial ?? byToken;
}

/**
 * Finds the device of a registering phone: by serial, else by push token, else, of the devices of the same model that have
 * missed two heartbeats, the one with the latest. Two phones with different serials never match by model, but they do by
 * push token.
 */
export function matchDevice<Known extends KnownDevice>(
  devices: readonly Known[],
  attributes: DeviceAttributes,
  now: Date,
): Known | undefined {
  const heartbeatTime = ({ lastHeartbeat }: KnownDevice) => lastHeartbeat?.getTime() ?? 0;
  const [byModel] = devices
    .filter((device) => hasMissedHeartbeats(device, now) && isSameModel(device, attributes))
    .filter((device) => !attributes.serial || !device.serial)
    .sort((a, b) => heartbeatTime(b) - heartbeatTime(a));
  return matchByIdentity(devices, attributes) ?? byModel;
}

/**
 * Whether a phone with the key of a device may be that device: the serials decide if both are known; otherwise the
 * push token matches, or nothing contradicts it.
 * A different push token is accepted only after two intervals without a heartbeat, as after a reinstallation.
 */
export function isSamePhone(
  known: KnownDevice & Pick<Device, 'createdAt'>,
  attributes: DeviceAttributes,
  now: Date,
): boolean {
  if (attributes.serial && known.serial) return attributes.serial === known.serial;
  if (attributes.fcmToken && attributes.fcmToken === known.fcmToken) return true;
  const stored = modelOf(known);
  const isOtherModel = modelOf(attributes).some(
    (reported, index) =>
      reported && reported !== UNKNOWN && stored[index] !== UNKNOWN && stored[index] !== reported,
  );
  if (isOtherModel) return false;
  const isOtherToken = attributes.fcmToken !== undefined && known.fcmToken !== undefined;
  return !isOtherToken || missedHeartbeatsAt(known.lastHeartbeat ?? known.createdAt, known) < now;
}
