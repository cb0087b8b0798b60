import { inSlices } from '../../common/slices';
import { readRecipient } from './read-recipient';
import type { KeptEntry, SendEntryInput, SendInput } from './send-input';
import { MAX_RECIPIENTS } from './send-limits';

/** A recipient that was left out of a send. */
export interface SkippedRecipient {
  /** The entry of a send with several. */
  readonly entry?: number;
  /** Its place among the recipients of the request or the entry, from 0. */
  readonly index: number;
  /** The start of what was given, as text. */
  readonly value: string;
  /** What to do about it, to follow the value. */
  readonly reason: string;
}

export interface SkippedRecipients {
  readonly count: number;
  /** At most 100. */
  readonly first: readonly SkippedRecipient[];
}

/** Those that are named in the answer. */
const MAX_NAMED = 100;

/**
 * Leaves out the recipients that are no phone numbers, and entries of which none is left, if the send asks for that with
 * `onInvalidNumber`. Derived from the request, so that a repeated one has the same answer.
 * @returns the rest, and what was left out. The whole input if no recipient can be read, so that it is refused.
 */
export async function skipUnreadable(
  input: SendInput,
): Promise<{ readonly input: SendInput; readonly skipped?: SkippedRecipients }> {
  if (input.options?.onInvalidNumber !== 'skip') return { input };
  const entries: SendEntryInput[] = [];
  const kept: KeptEntry[] = [];
  const first: SkippedRecipient[] = [];
  let [count, readable] = [0, 0];
  const visit = function* (entry: SendEntryInput, position: number): Generator<undefined, void> {
    const given = entry.recipients ?? entry.receivers ?? [];
    const places: number[] = [];
    for (const [index, recipient] of given.entries()) {
      const read = readRecipient(recipient);
      if (read.number !== undefined) places.push(index);
      else {
        count += 1;
        const { value, reason } = read;
        const place = { ...(input.entriesField && { entry: position }), index };
        if (first.length < MAX_NAMED) first.push({ ...place, value, reason });
      }
      yield;
    }
    readable += places.length;
    if (given.length > 0 && places.length === 0) return;
    kept.push({ entry: position, recipients: places });
    entries.push({ ...entry, recipients: places.map((index) => given[index]), receivers: undefined });
  };
  await inSlices(
    (function* () {
      for (const [position, entry] of input.entries.entries()) {
        // Refused by the validation.
        if ((entry.recipients ?? entry.receivers ?? []).length > MAX_RECIPIENTS) return;
        yield* visit(entry, position);
        yield;
      }
    })(),
  );
  if (count === 0 || readable === 0) return { input };
  return { input: { ...input, entries, kept }, skipped: { count, first } };
}
