import { recipientOf } from '../documents';

const SENTENCE = 'This campaign has a text of several parts, as many real ones do. ';
/** GSM-7 characters in each part of a text of several. */
const PART_LENGTH = 153;
/** Average 4. */
const PARTS = [1, 7, 3, 5, 2, 6, 4];
const RECIPIENTS_PER_TEXT = 50;

/** The body of send-bulk-sms: texts of one to seven parts, four on average. */
export function campaignOf(poolId: string, recipients: number) {
  const messages = Array.from({ length: Math.ceil(recipients / RECIPIENTS_PER_TEXT) }, (_, entry) => {
    const first = entry * RECIPIENTS_PER_TEXT;
    const count = Math.min(RECIPIENTS_PER_TEXT, recipients - first);
    return {
      message: textOf(PARTS[entry % PARTS.length] ?? 1),
      recipients: Array.from({ length: count }, (_, index) => recipientOf(first + index)),
    };
  });
  return { poolId, messages };
}

export function textOf(parts: number): string {
  const length = parts * PART_LENGTH - 10;
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length))
    .slice(0, length)
    .trimEnd();
}
