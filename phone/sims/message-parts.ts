import { SegmentedMessage } from 'sms-segments-calculator';

/** UTF-16 code units that fit into one part in every encoding; GSM-7 extension characters take two of 160. */
const ALWAYS_ONE_PART = 70;

/** A long text takes milliseconds. */
const counted = new Map<string, number>();
const MAX_COUNTED = 1_000;

/** The number of SMS parts of a text, at least 1. */
export function countParts(text: string): number {
  if (text.length <= ALWAYS_ONE_PART) return 1;
  let parts = counted.get(text);
  if (parts === undefined) {
    parts = new SegmentedMessage(text).segmentsCount;
    if (counted.size >= MAX_COUNTED) counted.clear();
    counted.set(text, parts);
  }
  return parts;
}
