import type { TFunction } from 'i18next';
import { type ExportMessagesData, exportMessages, listDevices } from '../../../../generated';
import { failureText } from '../../../components/failure-text';
import { messagePhone } from '../../../components/message-phone';
import { type Column, type ExportedMessage, readableCsv, readableNumber, readableTime } from './readable-csv';

/** Where commas separate decimals, spreadsheets expect semicolons between cells. */
const DELIMITERS: Readonly<Record<string, string>> = { de: ';', es: ';' };

export type Selection = ExportMessagesData['query'];

/** Downloads messages as a table for people, with its words in their language and times in their zone. */
export async function saveReadable(
  t: TFunction,
  query: Selection,
  { language, timeZone }: { readonly language: string; readonly timeZone: string },
): Promise<void> {
  const [messages, devices] = await Promise.all([
    exportMessages({ query, parseAs: 'blob', throwOnError: true }),
    listDevices({ throwOnError: true }),
  ]);
  const names = new Map(devices.data.data.map((device) => [device._id, messagePhone(t, device)]));
  const columns: Column[] = [
    [
      t('messages.exports.time', { zone: timeZone }),
      ({ createdAt = '' }) => readableTime(createdAt, timeZone),
    ],
    [
      t('messages.filters.direction'),
      ({ direction }) => t(`messages.directions.${direction === 'received' ? 'received' : 'sent'}`),
    ],
    [
      t('messages.columns.number'),
      ({ recipient, sender }) => readableNumber([recipient, sender].find(Boolean) ?? ''),
    ],
    [t('messages.columns.message'), ({ message = '' }) => message],
    [t('messages.columns.status'), (message) => t(`common.status.${statusOf(message)}`)],
    [t('messages.exports.reason'), (message) => reasonOf(t, message)],
    [t('messages.columns.phone'), ({ deviceId = '' }) => names.get(deviceId) ?? deviceId],
    [t('messages.exports.parts'), ({ segments = '' }) => segments],
  ];
  const file = await readableCsv(messages.data as unknown as Blob, columns, DELIMITERS[language] ?? ',');
  save(file, `${t('messages.exports.file')}-${new Date().toISOString().slice(0, 10)}.csv`);
}

const STATUSES = ['pending', 'dispatched', 'sent', 'delivered', 'failed', 'received'] as const;

/** Why a message failed, in the language of the reader. Empty cells of the file are absent values. */
function reasonOf(t: TFunction, message: ExportedMessage): string {
  if (statusOf(message) !== 'failed') return '';
  const [errorCode, errorMessage] = [message.errorCode, message.errorMessage].map(
    (cell) => cell || undefined,
  );
  return failureText(t, { errorCode, errorMessage });
}

/** What its owner or its recipient wanted is no failure. */
function statusOf({ status, errorCode }: ExportedMessage) {
  if (errorCode === 'CANCELLED') return 'cancelled';
  if (errorCode === 'SUPPRESSED') return 'suppressed';
  return STATUSES.find((each) => each === status) ?? 'unknown';
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
