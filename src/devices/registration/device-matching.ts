import { MINUTE_MS } from '../../common/durations';
import type { Device } from '../store/device.schema';
import { UNKNOWN } from '../store/device-name';
import type { DeviceAttributes } from '../store/device-attributes';
import { missedHeartbeatsAt } from '../store/missed-heartbeats';

export type KnownDevice = Pick<
  Device,
  | '_id'
  | 'serial'
  | 'fcmToken'
  | 'brand'
  | 'model'
  | 'buildId'
  | 'simInfo'
  | 'createdAt'
  | 'lastHeartbeat'
  | 'heartbeatIntervalMinutes'
>;

/** Two phones of one model that are set up together register within this time. */
const RECENT_MS = 10 * MINUTE_MS;

/** No heartbeat for two intervals, or none at all. */
function hasMissedHeartbeats(device: KnownDevice, now: Date): boolean {
  return !device.lastHeartbeat || missedHeartbeatsAt(device.lastHeartbeat, device) < now;
}

/** No heartbeat for two intervals, nor a registration. */
const isSilent = (device: KnownDevice, now: Date): boolean =>
  missedHeartbeatsAt(device.lastHeartbeat ?? device.createdAt, device) < now;

const cardsOf = ({ simInfo }: Pick<KnownDevice, 'simInfo'> | Pick<DeviceAttributes, 'simInfo'>): string[] =>
  simInfo?.sims.flatMap(({ iccId }) => (iccId ? [iccId] : [])) ?? [];

/** Whether the phones have a SIM card in common; undefined if the cards of one are not known. */
function sharesCard(known: KnownDevice, attributes: DeviceAttributes): boolean | undefined {
  const [stored, reported] = [cardsOf(known), cardsOf(attributes)];
  return stored.length > 0 && reported.length > 0
    ? reported.some((card) => stored.includes(card))
    : undefined;
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
 * Finds the device of a registering phone: by serial, else by push token, else of the devices of the same model the one with
 * the same SIM card, or else of those that have missed two heartbeats the one with the latest. Different serials and SIM cards
 * never match by model. With another push token, as after a reinstallation, a phone matches by its card if the device is not
 * new; without a known card only if a single device has another token, and has been silent for two heartbeats since it registered.
 */
export function matchDevice<Known extends KnownDevice>(
  devices: readonly Known[],
  attributes: DeviceAttributes,
  now: Date,
): Known | undefined {
  return matchByIdentity(devices, attributes) ?? matchByModel(devices, attributes, now);
}

function matchByModel<Known extends KnownDevice>(
  devices: readonly Known[],
  attributes: DeviceAttributes,
  now: Date,
): Known | undefined {
  const heartbeatTime = ({ lastHeartbeat }: KnownDevice) => lastHeartbeat?.getTime() ?? 0;
  const hasOtherToken = ({ fcmToken }: KnownDevice) => Boolean(attributes.fcmToken && fcmToken);
  const alike = devices
    .filter((device) => isSameModel(device, attributes) && !(attributes.serial && device.serial))
    .sort((a, b) => heartbeatTime(b) - heartbeatTime(a));
  const byCard = alike.find(
    (device) =>
      sharesCard(device, attributes) === true &&
      !(hasOtherToken(device) && now.getTime() - device.createdAt.getTime() < RECENT_MS),
  );
  if (byCard) return byCard;
  const possible = alike.filter((device) => sharesCard(device, attributes) === undefined);
  const silent = possible.filter((device) => !hasOtherToken(device) && hasMissedHeartbeats(device, now));
  if (silent[0]) return silent[0];
  // Of several phones, any of which may have been reinstalled, it is not known which one this is.
  const [other, ...others] = possible.filter(hasOtherToken);
  return other && others.length === 0 && isSilent(other, now) ? other : undefined;
}

/**
 * Whether a phone with the key of a device may be that device: the serials decide if both are known; otherwise the
 * push token matches, or nothing contradicts it.
 * A different push token is accepted only after two intervals without a heartbeat, as after a reinstallation.
 */
export function isSamePhone(known: KnownDevice, attributes: DeviceAttributes, now: Date): boolean {
  if (attributes.serial && known.serial) return attributes.serial === known.serial;
  if (attributes.fcmToken && attributes.fcmToken === known.fcmToken) return true;
  const stored = modelOf(known);
  const isOtherModel = modelOf(attributes).some(
    (reported, index) =>
      reported && reported !== UNKNOWN && stored[index] !== UNKNOWN && stored[index] !== reported,
  );
  if (isOtherModel) return false;
  const isOtherToken = attributes.fcmToken !== undefined && known.fcmToken !== undefined;
  return !isOtherToken || isSilent(known, now);
}
