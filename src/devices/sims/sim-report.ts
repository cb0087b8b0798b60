import type { Types } from 'mongoose';
import type { SimInfoEntry } from '../store/device.schema';
import type { SimRecord } from './schemas/sim.schema';

/** What a phone reports of a SIM, as far as it is stored. */
export type ReportedSim = Pick<
  SimRecord,
  'subscriptionId' | 'iccId' | 'simSlotIndex' | 'carrierName' | 'countryIso'
>;

export type KeyedSim = ReportedSim & Pick<SimRecord, 'key'>;

/** A SIM in a report, with the keys that it may be known by; the first identifies it best. */
export interface KeyedReport {
  readonly sim: ReportedSim;
  readonly keys: readonly string[];
}

/** How a stored record changes with a report. */
export interface SimChange {
  readonly record: SimRecord;
  readonly set: KeyedSim;
  /** Whether it was not in the phone before. */
  readonly isNew: boolean;
  /** Another record of the same card, from before its ICCID was known. */
  readonly duplicate?: SimRecord;
}

/** How the records of an account change with the report of a phone. */
export interface ReportChanges {
  readonly updated: readonly SimChange[];
  readonly inserted: readonly KeyedSim[];
  /** Those that the phone does not have any more. */
  readonly absent: readonly SimRecord[];
}

/** Apps without the permission to read it get an empty text, and some phones a shortened one. */
const ICC_ID = /^(\d{18,22})f?$/i;

const byIccId = (iccId: string) => `icc:${iccId}`;
const bySubscription = (device: Types.ObjectId, subscriptionId: number) =>
  `${device.toHexString()}:${subscriptionId}`;
/** The key of the SIM of a phone that reports none. */
export const defaultKey = (device: Types.ObjectId) => `${device.toHexString()}:default`;

export const isDefaultSim = ({ key }: Pick<SimRecord, 'key'>) => key.endsWith(':default');

/** The lowest slot first. */
export function compareSlots(one: ReportedSim, other: ReportedSim): number {
  const { simSlotIndex: slot = Infinity } = one;
  const { simSlotIndex: otherSlot = Infinity } = other;
  if (slot !== otherSlot) return slot - otherSlot;
  return (one.subscriptionId ?? 0) - (other.subscriptionId ?? 0);
}

/** The SIMs of a report by slot, each once, with their keys; the phone's own if it reports none. */
export function keyedReports(device: Types.ObjectId, sims: readonly SimInfoEntry[]): KeyedReport[] {
  if (sims.length === 0) return [{ sim: {}, keys: [defaultKey(device)] }];
  const seen = new Set<string>();
  return sims
    .map(toReportedSim)
    .sort(compareSlots)
    .flatMap((sim) => {
      const { iccId, subscriptionId = 0 } = sim;
      const keys = [...(iccId === undefined ? [] : [byIccId(iccId)]), bySubscription(device, subscriptionId)];
      if (keys.some((key) => seen.has(key))) return [];
      for (const key of keys) seen.add(key);
      return [{ sim, keys }];
    });
}

/** Whether the SIMs present in a phone are those it reports, with the same values. */
export function isUpToDate(reports: readonly KeyedReport[], present: readonly SimRecord[]): boolean {
  // The record of a phone without SIMs is made when it is needed.
  const isNone = reports.every(({ keys }) => keys.some((key) => isDefaultSim({ key })));
  if (isNone) return present.every(isDefaultSim);
  return (
    present.length === reports.length &&
    reports.every(({ sim }) =>
      present.some(
        (record) =>
          isSameCard(record, sim) &&
          Object.entries(sim).every(([field, value]) => record[field as keyof ReportedSim] === value),
      ),
    )
  );
}

/**
 * Finds the record of each reported SIM: by ICCID, else as the one present under its subscription id, else by phone and
 * subscription id. The first SIM that has none continues that of the phone from before it reported SIMs.
 * @param known the records present in the phone, and those with a key of the report.
 */
export function planReport(
  device: Types.ObjectId,
  reports: readonly KeyedReport[],
  known: readonly SimRecord[],
): ReportChanges {
  const isHere = (record: SimRecord) => record.isPresent && record.device?.equals(device) === true;
  const taken = new Set<SimRecord>();
  const updated: SimChange[] = [];
  const inserted: KeyedSim[] = [];
  for (const { sim, keys } of reports) {
    const free = known.filter((record) => !taken.has(record) && isSameCard(record, sim));
    const withKey = (key: string | undefined) => free.find((record) => record.key === key);
    const candidates = [
      sim.iccId === undefined ? undefined : withKey(keys[0]),
      free.find((record) => isHere(record) && record.subscriptionId === sim.subscriptionId),
      withKey(keys.at(-1)),
      withKey(defaultKey(device)),
    ];
    const [record, duplicate] = [...new Set(candidates)].filter((each) => each !== undefined);
    const [key = ''] = record?.iccId === undefined ? keys : [record.key];
    if (!record) {
      if (!isDefaultSim({ key })) inserted.push({ ...sim, key });
      continue;
    }
    taken.add(record);
    const isMerged = duplicate !== undefined && duplicate.iccId === undefined && !isDefaultSim(duplicate);
    if (isMerged) taken.add(duplicate);
    updated.push({ record, set: { ...sim, key }, isNew: !isHere(record), ...(isMerged && { duplicate }) });
  }
  return { updated, inserted, absent: known.filter((record) => isHere(record) && !taken.has(record)) };
}

function toReportedSim({
  subscriptionId,
  iccId,
  simSlotIndex,
  carrierName,
  countryIso,
}: SimInfoEntry): ReportedSim {
  const [, digits] = ICC_ID.exec(iccId ?? '') ?? [];
  return {
    subscriptionId,
    ...(digits !== undefined && { iccId: digits }),
    ...(simSlotIndex !== undefined && { simSlotIndex }),
    ...(carrierName !== undefined && { carrierName }),
    ...(countryIso !== undefined && { countryIso }),
  };
}

/** Whether a record may be of the reported card: two different ICCIDs are two cards. */
const isSameCard = (record: SimRecord, { iccId }: ReportedSim) =>
  record.iccId === undefined || iccId === undefined || record.iccId === iccId;
