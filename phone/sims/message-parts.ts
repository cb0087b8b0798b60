import { SegmentedMessage } from 'sms-segments-calculator';

/** UTF-16 code units that fit into one part in every encoding; GSM-7 extension characters take two of 160. */
const ALWAYS_ONE_PART = 70;

/** The number of SMS parts of a text, at least 1. */
export function countParts(text: string): number {
  return text.length <= ALWAYS_ONE_PART ? 1 : new SegmentedMessage(text).segmentsCount;
}
