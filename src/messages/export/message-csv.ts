import type { Types } from 'mongoose';
import type { MessageView } from '../messages.service';
import type { ShownMessage } from '../shown-message';
import { failureText } from '../failure-text';
import { sizeOfMessage, type TextSize } from '../text/segments';
import { BYTE_ORDER_MARK, csvLine, numberCell, textCell } from './csv-cell';

type Cell = (message: ShownMessage, size: TextSize | undefined) => string;

const timeCell = (time: Date | undefined): string => time?.toISOString() ?? '';
const idCell = (id: Types.ObjectId | undefined): string => id?.toHexString() ?? '';

const COLUMNS: Readonly<Record<string, Cell>> = {
  id: ({ _id }) => idCell(_id),
  direction: ({ direction }) => direction,
  status: ({ status = 'unknown' }) => status,
  recipient: ({ recipient }) => numberCell(recipient),
  sender: ({ sender }) => numberCell(sender),
  contactNumber: ({ peerNumber }) => numberCell(peerNumber),
  message: ({ encrypted, message }) => (encrypted ? '' : textCell(message)),
  createdAt: ({ createdAt }) => timeCell(createdAt),
  requestedAt: ({ requestedAt }) => timeCell(requestedAt),
  dispatchedAt: ({ dispatchedAt }) => timeCell(dispatchedAt),
  sentAt: ({ sentAt }) => timeCell(sentAt),
  deliveredAt: ({ deliveredAt }) => timeCell(deliveredAt),
  failedAt: ({ failedAt }) => timeCell(failedAt),
  receivedAt: ({ receivedAt }) => timeCell(receivedAt),
  deviceId: ({ device }) => idCell(device),
  simId: ({ sim }) => idCell(sim),
  poolId: ({ pool }) => idCell(pool),
  smsBatchId: ({ smsBatch }) => idCell(smsBatch),
  segments: (_, size) => String(size?.segments ?? ''),
  encoding: (_, size) => size?.encoding ?? '',
  errorCode: ({ errorCode }) => textCell(errorCode),
  errorMessage: (message) => textCell(failureText(message)),
};

/** The lines of a CSV file of messages, by RFC 4180; the first part has the names of the columns too. */
export async function* messageCsv(messages: AsyncIterable<MessageView>): AsyncGenerator<string> {
  const cells = Object.values(COLUMNS);
  let before = BYTE_ORDER_MARK + csvLine(Object.keys(COLUMNS));
  for await (const { message } of messages) {
    const size = sizeOfMessage(message);
    yield before + csvLine(cells.map((cell) => cell(message, size)));
    before = '';
  }
  if (before) yield before;
}
