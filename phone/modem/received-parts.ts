/** A row of `inbox`. */
export interface ReceivedPart {
  readonly id: number;
  readonly sender: string;
  readonly text: string;
  /** In hexadecimal. */
  readonly udh: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Milliseconds since the row was written. */
  readonly ageMs: number;
}

export interface JoinedSms {
  readonly ids: readonly number[];
  readonly sender: string;
  readonly message: string;
  readonly receivedAtInMillis: number;
}

interface Concatenation {
  readonly reference: string;
  readonly total: number;
  /** From 1. */
  readonly index: number;
}

interface Group {
  readonly key: string;
  readonly sender: string;
  readonly total: number;
  readonly parts: Map<number, ReceivedPart>;
}

/** gammu-smsd itself waits ten minutes for missing parts before it writes any. */
const INCOMPLETE_AFTER_MS = 15 * 60_000;

/** Joins the parts of long messages. A message of which parts are missing for 15 minutes has `[…]` in their place. */
export function joinParts(rows: readonly ReceivedPart[]): JoinedSms[] {
  const joined: JoinedSms[] = [];
  const groups: Group[] = [];
  for (const row of rows) {
    const part = concatenationOf(row.udh);
    if (part === undefined) {
      joined.push({
        ids: [row.id],
        sender: row.sender,
        message: row.text,
        receivedAtInMillis: row.receivedAt,
      });
      continue;
    }
    addTo(groups, row, part);
  }
  for (const { sender, total, parts } of groups) {
    const present = [...parts.values()];
    const isComplete = parts.size === total;
    if (!isComplete && Math.min(...present.map(({ ageMs }) => ageMs)) < INCOMPLETE_AFTER_MS) continue;
    const texts = Array.from({ length: total }, (_, index) => parts.get(index + 1)?.text ?? '[…]');
    joined.push({
      ids: present.map(({ id }) => id),
      sender,
      message: texts.join(''),
      receivedAtInMillis: Math.min(...present.map(({ receivedAt }) => receivedAt)),
    });
  }
  return joined;
}

/** A reference is used again after 256 messages: a part that is there already starts another message. */
function addTo(groups: Group[], row: ReceivedPart, { reference, total, index }: Concatenation): void {
  const key = `${row.sender} ${reference} ${total}`;
  let group = groups.find((each) => each.key === key && !each.parts.has(index));
  if (group === undefined) {
    group = { key, sender: row.sender, total, parts: new Map() };
    groups.push(group);
  }
  group.parts.set(index, row);
}

/** @returns undefined for a message of one part. */
function concatenationOf(udh: string): Concatenation | undefined {
  const bytes = Buffer.from(udh, 'hex');
  for (let at = 1; at + 1 < bytes.length;) {
    const [element = 0, length = 0] = [bytes[at], bytes[at + 1]];
    const value = bytes.subarray(at + 2, at + 2 + length);
    const referenceLength = element === 0 ? 1 : element === 8 ? 2 : 0;
    if (referenceLength > 0 && value.length === referenceLength + 2) {
      const [total = 0, index = 0] = value.subarray(referenceLength);
      if (total < 2 || index < 1 || index > total) return undefined;
      return { reference: value.subarray(0, referenceLength).toString('hex'), total, index };
    }
    at += 2 + length;
  }
  return undefined;
}
