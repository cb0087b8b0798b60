import type { PipelineStage } from 'mongoose';

/** Larger than any message that can be stored today: 10,000 characters of four bytes, and the fields beside them. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** Characters that are read of the texts of a larger message, and entries of its outbox. */
const MAX_TEXT_CHARACTERS = 10_000;
const MAX_SHORT_CHARACTERS = 256;
const MAX_OUTBOX_ENTRIES = 20;

/** The expression for the first characters of a text; missing where nothing is, empty where something else is. */
function firstCharacters(expression: string, maxCharacters: number) {
  return {
    $switch: {
      branches: [
        {
          case: { $eq: [{ $type: expression }, 'string'] },
          then: { $substrCP: [expression, 0, maxCharacters] },
        },
        { case: { $eq: [{ $type: expression }, 'missing'] }, then: '$$REMOVE' },
      ],
      default: '',
    },
  };
}

/** The status of an outbox entry as it is read of any message; a longer one is none that is stored today. */
export const entryStatus = (entry: string) =>
  firstCharacters(`${entry}.reportedStatus`, MAX_SHORT_CHARACTERS);

/** The beginning of a text, as much of it as of a status. */
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

/**
 * Reads messages whole, apart from those that earlier versions stored larger than can be stored today: of these the
 * database sends the beginning of each text, marked as truncated. So what a reader takes up depends on their number alone.
 */
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
