import { randomUUID } from 'node:crypto';
import type { Types } from 'mongoose';
import request, { type Test } from 'supertest';
import { RawStream } from './raw-stream';

/** The response fields that tests read. */
export interface MessageJson {
  _id: string;
  status: string;
  recipient: string;
  [field: string]: unknown;
}

export interface BatchJson {
  batch: {
    _id: string;
    status: string;
    successCount: number;
    failureCount: number;
    [field: string]: unknown;
  };
  messages: MessageJson[];
}

/** An API client with the key of one account. */
export class TestClient {
  private readonly streams = new Map<string, RawStream>();

  constructor(
    readonly url: string,
    readonly apiKey: string,
    readonly user: Types.ObjectId,
  ) {}

  /** The same account on another process. */
  at(url: string): TestClient {
    return new TestClient(url, this.apiKey, this.user);
  }

  get(path: string): Test {
    return this.call('get', path);
  }

  post(path: string, body: object | string = {}): Test {
    return this.call('post', path).send(body);
  }

  patch(path: string, body: object | string = {}): Test {
    return this.call('patch', path).send(body);
  }

  put(path: string, body: object | string = {}): Test {
    return this.call('put', path).send(body);
  }

  delete(path: string): Test {
    return this.call('delete', path);
  }

  /** Registers a new device with push over a stream, which stays open until the service closes it. @returns its id. */
  async newDevice(fields: object = {}): Promise<string> {
    const id = await this.registerDevice(fields);
    if (!('pushTransport' in fields)) this.streams.set(id, await RawStream.open(this, id));
    return id;
  }

  /** Closes the stream that a new device was given; the service notices it later. */
  closeStream(id: string): void {
    this.streams.get(id)?.close();
  }

  /** Registers a new device with push over a stream, which it has not opened. @returns its id. */
  async registerDevice(fields: object = {}): Promise<string> {
    const answer = await this.post('/gateway/devices', {
      pushTransport: 'stream',
      brand: 'google',
      model: 'Pixel 8',
      buildId: 'AP2A.240805.005',
      serial: randomUUID(),
      ...fields,
    });
    if (answer.status !== 201) throw new Error(`Device registration failed: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  /** Sends a message. @returns the id of the batch. */
  async send(recipients: string[], fields: object = {}): Promise<string> {
    const answer = await this.post('/gateway/send-sms', { message: 'Hello', recipients, ...fields });
    if (answer.status !== 200) throw new Error(`Send failed: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
  }

  async batch(device: string, batch: string): Promise<BatchJson> {
    const answer = await this.get(`/gateway/devices/${device}/sms-batch/${batch}`);
    return (answer.body as { data: BatchJson }).data;
  }

  async message(device: string, id: string): Promise<MessageJson> {
    const answer = await this.get(`/gateway/devices/${device}/sms/${id}`);
    return (answer.body as { data: MessageJson }).data;
  }

  report(device: string, smsId: string, status: string, fields: object = {}): Test {
    return this.patch(`/gateway/devices/${device}/sms-status`, { smsId, status, ...fields });
  }

  private call(method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string): Test {
    return request(this.url)[method](`/api/v1${path}`).set('x-api-key', this.apiKey);
  }
}
