import { SegmentedMessage } from 'sms-segments-calculator';
import { isRecord } from '../wire';

export interface SmsPart {
  readonly text: string;
  /** The user data header in hexadecimal; empty for a message of one part. */
  readonly udh: string;
}

export interface EncodedSms {
  /** In the words of gammu. */
  readonly coding: 'Default_No_Compression' | 'Unicode_No_Compression';
  readonly parts: readonly SmsPart[];
}

/** Splits a text into parts of GSM-7 or UCS-2. @param reference tells the parts of a message from those of others; 0 to 255. */
export function encodeSms(text: string, reference: number): EncodedSms {
  const message = new SegmentedMessage(text);
  const texts = message.segments.map((segment) => {
    const chars: readonly unknown[] = [...segment];
    return chars.map((char) => (isRecord(char) && typeof char.raw === 'string' ? char.raw : '')).join('');
  });
  const coding = message.encodingName === 'GSM-7' ? 'Default_No_Compression' : 'Unicode_No_Compression';
  if (texts.length <= 1) return { coding, parts: [{ text, udh: '' }] };
  const parts = texts.map((each, index) => ({
    text: each,
    udh: `050003${hex(reference)}${hex(texts.length)}${hex(index + 1)}`,
  }));
  return { coding, parts };
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
