import { listMessages, type MessageResponse } from '../../../generated';
import { MAX_RECIPIENTS } from '../../../../src/gateway/send-input/send-limits';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import type { Table } from './csv-table';

const PAGE_SIZE = 100;

/** Failed, and not taken back by its owner. */
export const isFailure = ({ errorCode }: MessageResponse) => errorCode !== 'CANCELLED';

/** Whether its phone reported after the failure that it was sent or delivered after all. */
export const mayHaveArrived = ({ laterReports = [] }: MessageResponse) => laterReports.length > 0;

/** The text of each message of the table of failures. */
export const FAILED_TEMPLATE = '{{message}}';

/**
 * Reads the failed messages of a send as a table, to send them again. Left out are encrypted ones, because only the sender has
 * their key, and those that may have arrived.
 */
export async function readFailed(id: string, signal: AbortSignal): Promise<Table> {
  const failed: MessageResponse[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await listMessages({
      query: {
        smsBatchId: id,
        status: 'failed',
        limit: PAGE_SIZE,
        order: 'asc',
        ...WITH_DELETED_DEVICES,
        ...(cursor && { cursor }),
      },
      signal,
      throwOnError: true,
    });
    failed.push(
      ...data.data.filter((message) => isFailure(message) && !message.encrypted && !mayHaveArrived(message)),
    );
    cursor = data.meta.nextCursor ?? undefined;
  } while (cursor !== undefined && failed.length < MAX_RECIPIENTS);
  return {
    columns: ['recipient', 'message'],
    hasHeader: true,
    rows: failed.map(({ recipient = '', message = '' }, index) => ({
      line: index + 1,
      fields: [recipient, message],
    })),
  };
}
