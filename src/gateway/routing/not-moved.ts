import { conditionPerDocument } from '../../infrastructure/mongo/condition-per-document';
import type { Message } from '../../messages/message.schema';

/** A message as a worker has read it. */
export type ReadMessage = Pick<Message, '_id' | 'user' | 'pool' | 'movedFrom'>;

/**
 * Condition of the messages that were not moved since a worker read them, to another phone or out of their pool. A decision that was made
 * for where they were before must not be stored. That a worker has claimed one for another phone of its pool is told by its time.
 */
export const notMoved = (messages: readonly ReadMessage[]) => ({
  $and: [
    conditionPerDocument(
      messages,
      ({ _id }) => _id,
      (message) => `${message.pool ? 'pool' : ''} ${moveKey(message)}`,
      (message) => ({ ...(message.pool && { pool: { $exists: true } }), ...lastMoveIs(message) }),
    ),
  ],
});

type LastMove = Pick<Message, 'movedFrom'>;

/** Identifies the last move of a message; equal for all that were never moved. */
export const moveKey = ({ movedFrom }: LastMove): string =>
  movedFrom ? `${movedFrom.device.toHexString()} ${movedFrom.at.getTime()}` : '';

/** Condition of a message that was not moved to another phone since its last move was read. To compare its phone costs more. */
export const lastMoveIs = ({ movedFrom }: LastMove) =>
  movedFrom
    ? { 'movedFrom.device': movedFrom.device, 'movedFrom.at': movedFrom.at }
    : { movedFrom: { $exists: false } };
