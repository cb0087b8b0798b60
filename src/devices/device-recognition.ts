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

function isSameMake(known: KnownDevice, facts: DeviceFacts): boolean {
  const pairs = [
    [known.brand, facts.brand],
    [known.model, facts.model],
    [known.buildId, facts.buildId],
  ];
  return pairs.every(([theirs, its]) => its !== undefined && its !== UNKNOWN && theirs === its);
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
  const { serial, fcmToken } = facts;
  const heard = ({ lastHeartbeat }: KnownDevice) => lastHeartbeat?.getTime() ?? 0;
  const bySerial = serial ? devices.find((device) => device.serial === serial) : undefined;
  const byToken = fcmToken ? devices.find((device) => device.fcmToken === fcmToken) : undefined;
  const [byMake] = devices
    .filter((device) => isSilent(device, now) && isSameMake(device, facts))
    .filter((device) => !serial || !device.serial)
    .sort((a, b) => heard(b) - heard(a));
  return bySerial ?? byToken ?? byMake;
}
