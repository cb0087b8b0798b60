import {
  connect,
  type DeviceResponse,
  type MessageResponse,
  type MessagingGateway,
  type SendBulkSmsRequest,
} from 'messaging-gateway-client';
import { dataOf, ApiError } from '../api-error';
import type { ServiceAddress } from './service-address';

export const STATUSES = ['pending', 'dispatched', 'sent', 'delivered', 'failed', 'unknown'] as const;
export type MessageStatus = (typeof STATUSES)[number];

export type DemoMessage = Pick<
  MessageResponse,
  | 'recipient'
  | 'status'
  | 'requestedAt'
  | 'dispatchedAt'
  | 'pushReceivedAt'
  | 'sentAt'
  | 'deliveredAt'
  | 'errorMessage'
>;

const TIMEOUT_MS = 15_000;

/** The requests of the demo. Every method throws `ApiError` without a 2xx response. */
export class GatewayApi {
  private readonly gateway: MessagingGateway;

  constructor({ url, apiKey }: ServiceAddress) {
    this.gateway = connect(url, apiKey);
  }

  /** The default device comes first. */
  async devices(): Promise<DeviceResponse[]> {
    const devices = dataOf(await this.gateway.listDevices(withTimeout()));
    return devices.sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
  }

  /** @returns the id of the batch. */
  async send(message: string, recipients: string[], deviceId?: string): Promise<string> {
    const body = { message, recipients, deviceId };
    return dataOf(await this.gateway.sendSms({ body, ...withTimeout() })).smsBatchId;
  }

  /** @returns the id of the batch. */
  async sendBulk(deviceId: string, messages: SendBulkSmsRequest['messages']): Promise<string> {
    const body = { deviceId, messages };
    return dataOf(await this.gateway.sendBulkSms({ body, ...withTimeout() })).smsBatchId;
  }

  /** @returns undefined if the device does not have the batch. */
  async batchMessages(id: string, smsBatchId: string): Promise<MessageResponse[] | undefined> {
    try {
      const path = { id, smsBatchId };
      return dataOf(await this.gateway.getBatch({ path, ...withTimeout() })).messages;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

const withTimeout = () => ({ signal: AbortSignal.timeout(TIMEOUT_MS) });
