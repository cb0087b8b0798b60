import { listMessages, type MessageResponse } from '../../../generated';
import { MAX_RECIPIENTS } from '../../../../src/gateway/sends/send-limits';
import type { Table } from './csv-table';

const PAGE_SIZE = 100;

/** Failed, and not taken back by its owner. */
export const isFailure = ({ errorCode }: MessageResponse) => errorCode !== 'CANCELLED';

/** The text of each message of the table of failures. */
export const FAILED_TEMPLATE = '{{message}}';

/** Reads the failed messages of a send as a table, to send them again; encrypted ones are left out, because only the sender has their key. */
export async function readFailed(id: string, signal: AbortSignal): Promise<Table> {
  const failed: MessageResponse[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await listMessages({
      query: { smsBatchId: id, status: 'failed', limit: PAGE_SIZE, order: 'asc', ...(cursor && { cursor }) },
      signal,
      throwOnError: true,
    });
    failed.push(...data.data.filter((message) => isFailure(message) && !message.encrypted));
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

/** The same reason, and the messages that failed for it. */
export interface FailureGroup {
  readonly code?: string;
  readonly reported?: string;
  readonly messages: readonly MessageResponse[];
}

/** Groups failures by their reason, the most frequent first. */
export function groupFailures(messages: readonly MessageResponse[]): FailureGroup[] {
  const groups = new Map<string, MessageResponse[]>();
  for (const message of messages.filter(isFailure)) {
    const reason = JSON.stringify([message.errorCode, message.errorMessage]);
    groups.set(reason, [...(groups.get(reason) ?? []), message]);
  }
  return [...groups.values()]
    .map((group) => ({ code: group[0]?.errorCode, reported: group[0]?.errorMessage, messages: group }))
    .sort((one, other) => other.messages.length - one.messages.length);
}
