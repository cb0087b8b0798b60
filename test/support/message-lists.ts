import { Types } from 'mongoose';
import { peerNumber } from '../../src/common/peer-number';
import { MessageJson, TestClient } from './client';
import { TestService } from './service';

interface Meta {
  page?: number;
  limit: number;
  total?: number;
  totalPages?: number;
  nextCursor: string | null;
  hasMore: boolean;
}

export interface ListJson {
  data: MessageJson[];
  meta: Meta;
}

interface ErrorJson {
  error: string;
  message: string;
  code: string;
  details?: { field: string }[];
}

/** The stored fields of a message that lists filter and sort by. */
export interface StoredMessage {
  _id: Types.ObjectId;
  user: Types.ObjectId;
  device: Types.ObjectId;
  direction: 'sent' | 'received';
  status?: string;
  message: string;
  encrypted?: boolean;
  sender?: string;
  recipient?: string;
  smsBatch?: Types.ObjectId;
  errorCode?: string;
  peerNumber: string;
  createdAt: Date;
  updatedAt: Date;
}

export type ListQuery = Record<string, string | number>;

export const UNKNOWN_ID = '0123456789abcdef01234567';

const RECIPIENT = '+4915112345678';

const START = Date.parse('2026-01-01T00:00:00Z');

/** The time this many seconds after the first stored message. */
export const at = (seconds: number) => new Date(START + seconds * 1_000);

/** Stores messages of an account and reads them through the message list. */
export class MessageLists {
  service!: TestService;
  client!: TestClient;
  device!: string;

  async start(): Promise<void> {
    this.service = await TestService.start();
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  async useNewAccount(): Promise<void> {
    this.client = await this.service.newAccount();
    this.device = await this.client.newDevice();
  }

  /** Stores messages in the database, created one second apart by default. */
  readonly store = async (messages: Partial<StoredMessage>[]): Promise<string[]> => {
    const documents = messages.map((message, second): StoredMessage => ({
      _id: new Types.ObjectId(),
      user: this.client.user,
      device: new Types.ObjectId(this.device),
      direction: 'sent',
      status: 'sent',
      message: 'Hello',
      ...(message.direction === 'received' ? {} : { recipient: RECIPIENT }),
      peerNumber: peerNumber(message.sender ?? message.recipient ?? RECIPIENT, undefined),
      createdAt: at(second),
      updatedAt: at(second),
      ...message,
    }));
    if (documents.length > 0) await this.service.collection('messages').insertMany(documents);
    return documents.map(({ _id }) => _id.toHexString());
  };

  readonly request = (query: ListQuery | string, as = this.client) =>
    as.get('/gateway/messages').query(query);

  readonly list = async (query: ListQuery = {}, as = this.client): Promise<ListJson> => {
    const response = await this.request(query, as);
    if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
    return response.body as ListJson;
  };

  /** The ids on the first page, oldest first. */
  readonly find = async (query: ListQuery): Promise<string[]> =>
    (await this.list({ order: 'asc', ...query })).data.map(({ _id }) => _id);

  /** The ids on all pages, read by cursor. */
  readonly readAllPages = async (
    query: ListQuery,
    visit: (ids: string[]) => unknown = () => undefined,
  ): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: ListJson = await this.list(cursor ? { ...query, cursor } : query);
      const ids = page.data.map(({ _id }) => _id);
      await visit(ids);
      seen.push(...ids);
      expect(page.meta.hasMore).toBe(page.meta.nextCursor !== null);
      cursor = page.meta.nextCursor;
    } while (cursor);
    return seen;
  };

  readonly expectError = async (
    query: ListQuery | string,
    status: number,
    code: string,
    field?: string,
  ): Promise<ErrorJson> => {
    const response = await this.request(query);
    const error = response.body as ErrorJson;
    expect([query, response.status, error.code]).toEqual([query, status, code]);
    expect(error.error).toBe(error.message);
    if (field) expect(error.details?.map((detail) => detail.field)).toEqual([field]);
    return error;
  };
}
