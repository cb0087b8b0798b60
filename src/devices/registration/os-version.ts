import type { DeviceAttributes } from '../store/device-attributes';
import type { Device } from '../store/device.schema';

/** Android releases by build id prefix. */
const RELEASES: readonly (readonly [prefix: string, release: string])[] = [
  ['AP1', '14'],
  ['AP2', '14'],
  ['AP3', '15'],
  ['AP4', '15'],
  ['BP', '16'],
  ['P', '9'],
  ['Q', '10'],
  ['R', '11'],
  ['S', '12'],
  ['T', '13'],
  ['U', '14'],
];

/**
 * Determines the Android release from the reported version, the build fingerprint
 * (`brand/product/device:RELEASE/id/...`), or the prefix of the build id, in this order.
 */
export function resolveOsVersion(
  attributes: Pick<DeviceAttributes, 'osVersion' | 'osBuildFingerprint' | 'buildId'>,
): Pick<Device, 'osVersion' | 'osVersionSource'> | undefined {
  if (attributes.osVersion) return { osVersion: attributes.osVersion, osVersionSource: 'reported' };
  const fromFingerprint = attributes.osBuildFingerprint?.match(/^[^:]*:([^/]+)\//)?.[1];
  if (fromFingerprint) return { osVersion: fromFingerprint, osVersionSource: 'fingerprint' };
  const buildId = attributes.buildId?.toUpperCase();
  const release = buildId && RELEASES.find(([prefix]) => buildId.startsWith(prefix))?.[1];
  return release ? { osVersion: release, osVersionSource: 'buildId' } : undefined;
}
