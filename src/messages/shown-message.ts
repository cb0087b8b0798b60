import type { Message } from './message.schema';

/** Left out of a list, because decoding them takes a third of its time. */
export const INTERNAL_FIELDS = [
  'countedAt',
  'finalCountedAt',
  'fingerprint',
  'movedBy',
  'movedFrom',
  'nextDispatchAt',
  'outbox',
  'raised',
  'settledAt',
  'wave',
] as const satisfies (keyof Message)[];

/** A message without the fields that no list shows. */
export type ShownMessage = Omit<Message, (typeof INTERNAL_FIELDS)[number]>;
