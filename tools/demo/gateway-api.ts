import { CallFailed, JsonClient } from '../virtual-phone/json-client';
import { dataIn, isRecord } from '../virtual-phone/wire';
import type { ServiceAddress } from './service-address';

export const STATUSES = ['pending', 'dispatched', 'sent', 'delivered', 'failed', 'unknown'] as const;
export type MessageStatus = (typeof STATUSES)[number];

export interface DemoDevice {
  readonly id: string;
  readonly label: string;
  readonly enabled: boolean;
  readonly isDefault: boolean;
  readonly sendDelaySeconds: number;
}

/** A sent message, as far as the timeline shows it. */
export interface DemoMessage {
  readonly recipient: string;
  readonly status: MessageStatus;
  readonly requestedAt?: Date;
  readonly dispatchedAt?: Date;
  readonly pushReceivedAt?: Date;
  readonly sentAt?: Date;
  readonly deliveredAt?: Date;
  readonly errorMessage?: string;
}

/** The few calls the demo makes as an owner of the account. Every method throws `CallFailed` on anything but a 2xx. */
export class GatewayApi {
  private readonly client: JsonClient;

  constructor(address: ServiceAddress) {
    this.client = new JsonClient({ baseUrl: address.url, apiKey: address.apiKey });
  }

  /** The account's devices, the default one first. */
  async devices(): Promise<DemoDevice[]> {
    const list = dataIn(await this.client.call('GET', 'gateway/devices'));
    const devices = Array.isArray(list) ? list.filter(isRecord).map(readDevice) : [];
    return devices.sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
  }

  /** Sends one text to many, from the account's default device unless one is named. Returns the id of the batch. */
  async send(message: string, recipients: readonly string[], deviceId?: string): Promise<string> {
    const result = dataIn(
      await this.client.call('POST', 'gateway/send-sms', { message, recipients, deviceId }),
    );
    if (!isRecord(result) || typeof result.smsBatchId !== 'string')
      throw new Error('the service answered without a batch id');
    return result.smsBatchId;
  }

  /** The messages of a batch; undefined if this device has no such batch. */
  async batchMessages(deviceId: string, batchId: string): Promise<DemoMessage[] | undefined> {
    try {
      const result = dataIn(
        await this.client.call('GET', `gateway/devices/${deviceId}/sms-batch/${batchId}`),
      );
      const messages = isRecord(result) ? result.messages : undefined;
      return Array.isArray(messages) ? messages.filter(isRecord).map(readMessage) : [];
    } catch (error) {
      if (error instanceof CallFailed && error.status === 404) return undefined;
      throw error;
    }
  }

  close(): void {
    this.client.close();
  }
}

function readDevice(fields: Readonly<Record<string, unknown>>): DemoDevice {
  const { _id, name, brand, model, smsSendDelaySeconds } = fields;
  return {
    id: String(_id),
    label: typeof name === 'string' ? name : `${String(brand)} ${String(model)}`,
    enabled: fields.enabled === true,
    isDefault: fields.isDefault === true,
    sendDelaySeconds: typeof smsSendDelaySeconds === 'number' ? smsSendDelaySeconds : 5,
  };
}

function readMessage(fields: Readonly<Record<string, unknown>>): DemoMessage {
  return {
    recipient: typeof fields.recipient === 'string' ? fields.recipient : '',
    // A message without a status is to be read as unknown.
    status: STATUSES.find((status) => status === fields.status) ?? 'unknown',
    requestedAt: readTime(fields.requestedAt),
    dispatchedAt: readTime(fields.dispatchedAt),
    pushReceivedAt: readTime(fields.pushReceivedAt),
    sentAt: readTime(fields.sentAt),
    deliveredAt: readTime(fields.deliveredAt),
    errorMessage: typeof fields.errorMessage === 'string' ? fields.errorMessage : undefined,
  };
}

function readTime(value: unknown): Date | undefined {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}
