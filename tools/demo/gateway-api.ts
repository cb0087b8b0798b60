import {
  type AccountSimResponse,
  connect,
  type DeviceResponse,
  type EstimateResponse,
  type MessageResponse,
  type MessagingGateway,
  type PoolRequest,
  type PoolResponse,
  type SendBulkSmsRequest,
  type SimPatchRequest,
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
  async sendToPool(poolId: string, messages: SendBulkSmsRequest['messages']): Promise<string> {
    return dataOf(await this.gateway.sendBulkSms({ body: { poolId, messages }, ...withTimeout() }))
      .smsBatchId;
  }

  async estimate(poolId: string, messages: SendBulkSmsRequest['messages']): Promise<EstimateResponse> {
    return dataOf(await this.gateway.estimateSend({ body: { poolId, messages }, ...withTimeout() }));
  }

  async sims(): Promise<AccountSimResponse[]> {
    return dataOf(await this.gateway.listSims(withTimeout()));
  }

  async updateSim(id: string, body: SimPatchRequest): Promise<void> {
    dataOf(await this.gateway.updateSim({ path: { id }, body, ...withTimeout() }));
  }

  async pools(): Promise<PoolResponse[]> {
    return dataOf(await this.gateway.listPools(withTimeout()));
  }

  /** @returns the id of the pool. */
  async createPool(body: PoolRequest): Promise<string> {
    return dataOf(await this.gateway.createPool({ body, ...withTimeout() }))._id;
  }

  /** Messages that wait stay with their SIMs. */
  async deletePool(id: string): Promise<void> {
    const answer = await this.gateway.deletePool({
      path: { id },
      query: { pending: 'keep' },
      ...withTimeout(),
    });
    if (answer.error !== undefined) throw new ApiError(answer.response, answer.error);
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
