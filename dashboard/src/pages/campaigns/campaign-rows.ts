import type { SendBulkSmsRequest } from '../../../generated';
import { type Country, peerNumber } from '../../../../src/common/peer-number';
import { type PhoneNumberProblem, readPhoneNumber } from '../../../../src/common/phone-number';
import { MAX_CODE_POINTS } from '../../../../src/gateway/send-input/send-limits';
import { type Encoding, sizeOf } from '../../../../src/messages/text/segments';
import { Template } from '../../../../tools/send/template';
import type { Table } from './csv-table';

/** The bound of a request, less what surrounds the messages. */
export const MAX_REQUEST_BYTES = 2 * 1_024 * 1_024 - 20_000;

export type Refusal =
  | { readonly reason: 'columns'; readonly found: number; readonly expected: number }
  | { readonly reason: Exclude<PhoneNumberProblem, 'format'> | 'number'; readonly value: string }
  | { readonly reason: 'missing'; readonly columns: string }
  | { readonly reason: 'tooLong'; readonly length: number }
  | { readonly reason: 'blank' }
  /** The person is blocked. */
  | { readonly reason: 'blocked' }
  | { readonly reason: 'repeated'; readonly line: number };

/** A row with its message, or why there is none. */
export interface CampaignRow {
  readonly line: number;
  /** As it is in the table. */
  readonly number: string;
  readonly text: string;
  readonly parts: number;
  readonly encoding: Encoding;
  readonly refusal?: Refusal;
}

export type TemplateProblem =
  | { readonly problem: 'braces' }
  | { readonly problem: 'unknownColumn' | 'ambiguousColumn'; readonly column: string };

/** Reads a text with columns, by the rules of `npm run send`: their names ignore case. */
export function readTemplate(text: string, columns: readonly string[]): Template | TemplateProblem {
  let template: Template;
  try {
    template = Template.parse(text);
  } catch {
    return { problem: 'braces' };
  }
  for (const column of template.columns) {
    const places = placesOf(column, columns);
    if (places.length !== 1)
      return { problem: places.length === 0 ? 'unknownColumn' : 'ambiguousColumn', column };
  }
  return template;
}

export const isTemplate = (read: Template | TemplateProblem): read is Template => read instanceof Template;

const placesOf = (name: string, columns: readonly string[]): number[] =>
  columns.flatMap((column, index) => (column.toLowerCase() === name.toLowerCase() ? [index] : []));

/**
 * Fills the text for each row.
 * @param keepsRepeats sends the same text to a person as often as it is in the table.
 * @param country where numbers without a country code are dialled, to recognize a person in another spelling.
 */
export function fillRows(
  { columns, rows }: Table,
  numberColumn: number,
  template: Template,
  keepsRepeats = false,
  country?: Country,
): CampaignRow[] {
  const places = new Map(template.columns.map((name) => [name, placesOf(name, columns)[0] ?? -1]));
  const seen = new Map<string, number>();
  return rows.map(({ line, fields }) => {
    const number = fields[numberColumn] ?? '';
    const valueOf = (column: string) => fields[places.get(column) ?? -1] ?? '';
    const refused = (refusal: Refusal, text = '') =>
      ({ line, number, text, parts: 0, encoding: 'GSM-7', refusal }) as const;
    if (fields.length !== columns.length)
      return refused({ reason: 'columns', found: fields.length, expected: columns.length });
    const { number: recipient, problem } = readPhoneNumber(number);
    if (problem !== undefined)
      return refused({ reason: problem === 'format' ? 'number' : problem, value: number });
    const missing = template.columns.filter((column) => valueOf(column) === '');
    if (missing.length > 0) return refused({ reason: 'missing', columns: missing.join(', ') });
    const text = template.fill(valueOf);
    if (text.trim() === '') return refused({ reason: 'blank' });
    // The text has no more code points than code units, which are known.
    const length = text.length > MAX_CODE_POINTS ? Array.from(text).length : 0;
    if (length > MAX_CODE_POINTS) return refused({ reason: 'tooLong', length }, text);
    const identity = `${peerNumber(recipient, country)} ${text}`;
    const before = seen.get(identity);
    if (before !== undefined && !keepsRepeats) return refused({ reason: 'repeated', line: before }, text);
    seen.set(identity, line);
    const { segments: parts, encoding } = sizeOf(text);
    return { line, number, text, parts, encoding };
  });
}

/** The rows without those to blocked people. @param blocked places among the rows that are not refused, from 0. */
export function withoutBlocked(rows: readonly CampaignRow[], blocked: ReadonlySet<number>): CampaignRow[] {
  let place = 0;
  return rows.map((row) => {
    if (row.refusal) return row;
    const isBlocked = blocked.has(place);
    place += 1;
    return isBlocked ? { ...row, refusal: { reason: 'blocked' } } : row;
  });
}

export interface CampaignMessages {
  readonly messages: SendBulkSmsRequest['messages'];
  /** The lines of the recipients of each entry. */
  readonly lines: readonly (readonly number[])[];
}

/** The entries of a send, one for each text. */
export function messagesOf(
  rows: readonly CampaignRow[],
  fields: { readonly scheduledAt?: string; readonly simSubscriptionId?: number },
): CampaignMessages {
  const byText = new Map<string, { recipients: string[]; lines: number[] }>();
  for (const { line, number, text, refusal } of rows) {
    if (refusal) continue;
    const entry = byText.get(text) ?? { recipients: [], lines: [] };
    entry.recipients.push(number);
    entry.lines.push(line);
    byText.set(text, entry);
  }
  return {
    messages: [...byText].map(([message, { recipients }]) => ({ message, recipients, ...fields })),
    lines: [...byText.values()].map(({ lines }) => lines),
  };
}

/** The line that a field of an invalid request comes from, such as `messages.3.recipients.0`. */
export function lineOf(field: string, lines: CampaignMessages['lines']): number | undefined {
  const [, entry, recipient = '0'] = /^messages\.(\d+)(?:\.recipients\.(\d+))?/.exec(field) ?? [];
  return lines[Number(entry)]?.[Number(recipient)];
}

export const bytesOf = (body: object): number => new TextEncoder().encode(JSON.stringify(body)).length;

/**
 * A key of 106 bits that the same messages always have, so that reloading the page and choosing the same file again does not send
 * them twice. Not from `crypto.subtle`, which a page without TLS does not have.
 * @param salt another one for sending the same again on purpose.
 */
export function idempotencyKeyOf(messages: SendBulkSmsRequest['messages'], salt: string): string {
  const identity = JSON.stringify([salt, messages.map(({ message, recipients }) => [message, recipients])]);
  return `campaign-${hash(identity, 1)}${hash(identity, 2)}`;
}

/** cyrb53: 53 bits as hexadecimal digits. */
function hash(text: string, seed: number): string {
  let [one, two] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(16).padStart(14, '0');
}
