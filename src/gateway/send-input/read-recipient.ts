import { PHONE_NUMBER_PROBLEMS, readPhoneNumber } from '../../common/phone-number';
import { truncateText } from '../../common/text/truncate-text';

/** A recipient that is no phone number. */
interface UnreadableRecipient {
  readonly number?: undefined;
  /** The start of what was given, as text. */
  readonly value: string;
  /** What to do about it, to follow the value. */
  readonly reason: string;
}

const MAX_SHOWN_CHARACTERS = 40;

/** @param value as it was given. */
export function readRecipient(value: unknown): { readonly number: string } | UnreadableRecipient {
  if (typeof value === 'string') {
    const { number, problem } = readPhoneNumber(value);
    return problem === undefined
      ? { number }
      : { value: startOf(value), reason: PHONE_NUMBER_PROBLEMS[problem] };
  }
  // A JSON number has lost its + and its leading zeros.
  if (typeof value === 'number')
    return {
      value: String(value),
      reason: 'must be text: write the number in quotes, such as "+447700900123"',
    };
  return { value: '', reason: 'must be a phone number as text, such as "+447700900123"' };
}

function startOf(text: string): string {
  const start = truncateText(text, MAX_SHOWN_CHARACTERS);
  return start.length < text.length ? `${start}...` : text;
}
