import type { PipelineStage } from 'mongoose';
import { isMissing } from '../infrastructure/mongo/exists';

/** Larger than any message that the service stores: 10,000 characters of four bytes, and the other fields. */
const MAX_MESSAGE_BYTES = 64 * 1024;

const MAX_TEXT_CHARACTERS = 10_000;
const MAX_SHORT_CHARACTERS = 256;
const MAX_OUTBOX_ENTRIES = 20;

/** An expression for the first characters of a field: removed if missing, empty if not a string. */
export function firstCharacters(expression: string, maxCharacters: number) {
  return {
    $switch: {
      branches: [
        {
          case: { $eq: [{ $type: expression }, 'string'] },
          then: { $substrCP: [expression, 0, maxCharacters] },
        },
        { case: isMissing(expression), then: '$$REMOVE' },
      ],
      default: '',
    },
  };
}

/** An expression for the reported status of an outbox entry, cut to its maximum length. */
export const entryStatus = (entry: string) =>
  firstCharacters(`${entry}.reportedStatus`, MAX_SHORT_CHARACTERS);

/** An expression that cuts a text to the maximum length of a reported status. */
export const shortText = (text: object) => ({ $substrCP: [text, 0, MAX_SHORT_CHARACTERS] });

const SHORT_TEXTS = ['sender', 'recipient', 'errorCode', 'errorMessage'] as const;

const BOUNDED_OUTBOX = {
  $cond: [
    { $isArray: '$outbox' },
    {
      $map: {
        input: { $slice: ['$outbox', MAX_OUTBOX_ENTRIES] },
        as: 'entry',
        in: {
          event: firstCharacters('$$entry.event', MAX_SHORT_CHARACTERS),
          reportedStatus: entryStatus('$$entry'),
          at: '$$entry.at',
          requestId: firstCharacters('$$entry.requestId', MAX_SHORT_CHARACTERS),
        },
      },
    },
    null,
  ],
};

/** Limits the size of the messages read, whatever is stored: the database truncates the texts of larger ones and sets `truncated`. */
export const BOUNDED_MESSAGE: PipelineStage.ReplaceWith = {
  $replaceWith: {
    $cond: [
      { $lte: [{ $bsonSize: '$$ROOT' }, MAX_MESSAGE_BYTES] },
      '$$ROOT',
      {
        $mergeObjects: [
          '$$ROOT',
          {
            message: firstCharacters('$message', MAX_TEXT_CHARACTERS),
            ...Object.fromEntries(
              SHORT_TEXTS.map((field) => [field, firstCharacters(`$${field}`, MAX_SHORT_CHARACTERS)]),
            ),
            outbox: BOUNDED_OUTBOX,
            fingerprint: '',
            raised: [],
            truncated: true,
          },
        ],
      },
    ],
  },
};
