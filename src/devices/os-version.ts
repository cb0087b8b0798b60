import type { OsVersionSource } from './device.schema';

export interface OsFacts {
  osVersion?: string;
  osBuildFingerprint?: string;
  buildId?: string;
}

/** Android releases by how their build ids begin. */
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
 * The Android release, from the best source there is: the phone's own word, else its build fingerprint
 * (`brand/product/device:RELEASE/id/...`), else the letters its build id begins with.
 */
export function resolveOsVersion(
  facts: OsFacts,
): { osVersion: string; osVersionSource: OsVersionSource } | undefined {
  if (facts.osVersion) return { osVersion: facts.osVersion, osVersionSource: 'reported' };
  const fromFingerprint = facts.osBuildFingerprint?.match(/^[^:]*:([^/]+)\//)?.[1];
  if (fromFingerprint) return { osVersion: fromFingerprint, osVersionSource: 'fingerprint' };
  const buildId = facts.buildId?.toUpperCase();
  const release = buildId && RELEASES.find(([prefix]) => buildId.startsWith(prefix))?.[1];
  return release ? { osVersion: release, osVersionSource: 'buildId' } : undefined;
}
