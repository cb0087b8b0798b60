/** What an account owns, in the order of the file. */
export type RecordType =
  | 'account'
  | 'subscription'
  | 'session'
  | 'apiKey'
  | 'webhook'
  | 'device'
  | 'sim'
  | 'pool'
  | 'batch'
  | 'message'
  /** The last record: how many came before it. */
  | 'end';

/** A line of the file: its data is what the API answers. */
export interface ExportedRecord {
  readonly type: RecordType;
  readonly data: object;
}

export const toRecords = <Item>(
  type: RecordType,
  items: readonly Item[],
  toData: (item: Item) => object,
): ExportedRecord[] => items.map((item) => ({ type, data: toData(item) }));
