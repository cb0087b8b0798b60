import type { Device } from './device.schema';
import type { DeviceFacts } from './device-facts';

/** What stands for a fact the phone did not tell. */
export const UNKNOWN = 'unknown';

/** The devices of an account as far as a registration looks at them. */
export type KnownDevice = Pick<
  Device,
  '_id' | 'serial' | 'fcmToken' | 'brand' | 'model' | 'buildId' | 'lastHeartbeat' | 'heartbeatIntervalMinutes'
>;

/** Silent for two heartbeat intervals, or never heard. */
function isSilent({ lastHeartbeat, heartbeatIntervalMinutes }: KnownDevice, now: Date): boolean {
  return !lastHeartbeat || now.getTime() - lastHeartbeat.getTime() > 2 * heartbeatIntervalMinutes * 60_000;
}

const makeOf = ({ brand, model, buildId }: Pick<DeviceFacts, 'brand' | 'model' | 'buildId'>) => [
  brand,
  model,
  buildId,
];

function isSameMake(known: KnownDevice, facts: DeviceFacts): boolean {
  const theirs = makeOf(known);
  return makeOf(facts).every((its, index) => its !== undefined && its !== UNKNOWN && theirs[index] === its);
}

/** The device with the phone's serial, else the one with its push token. */
export function recogniseIdentity<Known extends KnownDevice>(
  devices: readonly Known[],
  { serial, fcmToken }: DeviceFacts,
): Known | undefined {
  const bySerial = serial ? devices.find((device) => device.serial === serial) : undefined;
  const byToken = fcmToken ? devices.find((device) => device.fcmToken === fcmToken) : undefined;
  return bySerial ?? byToken;
}

/**
 * The device a registering phone is: the one with its serial, else with its push token, else one of the same make
 * that has fallen silent. Two phones of one make that are both alive stay two, and so do two whose serials differ.
 */
export function recognise<Known extends KnownDevice>(
  devices: readonly Known[],
  facts: DeviceFacts,
  now: Date,
): Known | undefined {
  const heard = ({ lastHeartbeat }: KnownDevice) => lastHeartbeat?.getTime() ?? 0;
  const [byMake] = devices
    .filter((device) => isSilent(device, now) && isSameMake(device, facts))
    .filter((device) => !facts.serial || !device.serial)
    .sort((a, b) => heard(b) - heard(a));
  return recogniseIdentity(devices, facts) ?? byMake;
}

/**
 * Whether a phone that has the key of a device can be that device: it has its serial or its push token, or nothing tells
 * the two apart. A phone with another push token is the device only when the device has been silent for two heartbeat
 * intervals: the app was installed again.
 */
export function isSamePhone(
  known: KnownDevice & Pick<Device, 'createdAt'>,
  facts: DeviceFacts,
  now: Date,
): boolean {
  if (facts.serial && known.serial) return facts.serial === known.serial;
  if (facts.fcmToken && facts.fcmToken === known.fcmToken) return true;
  const theirs = makeOf(known);
  const isOtherMake = makeOf(facts).some(
    (its, index) => its && its !== UNKNOWN && theirs[index] !== UNKNOWN && theirs[index] !== its,
  );
  if (isOtherMake) return false;
  const isOtherToken = facts.fcmToken !== undefined && known.fcmToken !== undefined;
  return !isOtherToken || isSilent({ ...known, lastHeartbeat: known.lastHeartbeat ?? known.createdAt }, now);
}
