import { MINUTE_MS } from '../../common/durations';
import { sanitizeLine } from '../../common/text/printable';
import { truncateText } from '../../common/text/truncate-text';
import type { DeviceAttributes } from '../../devices/store/device-attributes';
import type { SimInfoEntry } from '../../devices/store/device.schema';
import type { PairedPhone } from '../../devices/registration/device-registration.service';
import { PING_INTERVAL_MS } from './app-settings';
import { type AppVersion, CANCELS_SINCE, formatAppVersion, isAtLeast } from './app-version';

const MAX_TEXT_CHARACTERS = 512;

/** More slots than a phone has. */
const MAX_SIMS = 8;

/** What the app says of its phone when it registers, and at each start; the fields may have any type. */
export interface ReportedDevice {
  /** `MANUFACTURER/PRODUCT`. */
  readonly name?: unknown;
  /** Present: the app waits for Google's push of another project, opens no stream, and fetches every 15 minutes. */
  readonly pushToken?: unknown;
  readonly simCards?: unknown;
}

/** A new device. */
export function registeredPhone(reported: ReportedDevice, version: AppVersion): PairedPhone {
  const [manufacturer = '', ...rest] = textOf(reported.name).split('/');
  const model = rest.join('/');
  return {
    attributes: {
      pushTransport: 'wake',
      os: 'Android',
      ...(manufacturer && { manufacturer, brand: manufacturer }),
      ...(model && { model }),
      ...changedAttributes(reported, version),
    },
    heartbeatIntervalMinutes: PING_INTERVAL_MS / MINUTE_MS,
    smsSendDelaySeconds: 0,
  };
}

/** The attributes that each start of the app reports. */
export function changedAttributes(
  { pushToken, simCards }: ReportedDevice,
  version: AppVersion | undefined,
): DeviceAttributes {
  const sims = Array.isArray(simCards) ? simCards.slice(0, MAX_SIMS).flatMap(simOf) : undefined;
  return {
    usesOwnPush: typeof pushToken === 'string' && pushToken !== '',
    ...(version && {
      appVersionName: formatAppVersion(version),
      supportsCancel: isAtLeast(version, CANCELS_SINCE),
    }),
    ...(sims && sims.length > 0 && { simInfo: { sims } }),
  };
}

/** The number of a SIM in the app, 1 to 3, is its subscription id here. Numbers and ICCIDs are masked, so they identify nothing. */
function simOf(card: unknown): SimInfoEntry[] {
  if (typeof card !== 'object' || card === null) return [];
  const { simNumber, slotIndex, carrierName } = card as Readonly<Record<string, unknown>>;
  const slot = wholeNumber(slotIndex);
  const number = wholeNumber(simNumber) ?? (slot === undefined ? undefined : slot + 1);
  if (number === undefined) return [];
  const carrier = textOf(carrierName);
  return [
    {
      subscriptionId: number,
      simSlotIndex: slot ?? number - 1,
      ...(carrier && { carrierName: carrier }),
    },
  ];
}

const wholeNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 100 ? value : undefined;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? sanitizeLine(truncateText(value, MAX_TEXT_CHARACTERS)) : '';
