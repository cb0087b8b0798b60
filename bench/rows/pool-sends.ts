import { randomUUID } from 'node:crypto';
import { recipientOf, TEXT } from '../documents';
import type { Call, HttpClient } from '../http-client';
import type { Tenant } from '../tenant';

const PHONES = 5;
const SIM_INFO = {
  sims: [
    { subscriptionId: 1, simSlotIndex: 0 },
    { subscriptionId: 2, simSlotIndex: 1 },
  ],
};

/** The SIMs of the first five phones of an account as one pool, two in each phone. */
export class PoolSends {
  private constructor(
    private readonly http: HttpClient,
    private readonly tenant: Tenant,
    private readonly poolId: string,
  ) {}

  static async create(http: HttpClient, tenant: Tenant): Promise<PoolSends> {
    const { apiKey, devices } = tenant;
    const phones = devices.slice(0, PHONES).map((id) => id.toHexString());
    for (const phone of phones)
      await http.call({
        method: 'PATCH',
        path: `gateway/devices/${phone}`,
        apiKey,
        body: { simInfo: SIM_INFO },
      });
    const stored = await http.readData<{ _id: string; device?: string }[]>({
      method: 'GET',
      path: 'gateway/sims',
      apiKey,
    });
    const sims = stored
      .filter(({ device }) => device !== undefined && phones.includes(device))
      .map(({ _id }) => _id);
    const body = { name: randomUUID(), sims };
    const { _id } = await http.readData<{ _id: string }>({
      method: 'POST',
      path: 'gateway/pools',
      apiKey,
      body,
    });
    return new PoolSends(http, tenant, _id);
  }

  /** A send to a number of recipients. @param number the number of the send. */
  call(number: number, recipients: number): Call {
    return {
      method: 'POST',
      path: 'gateway/send-sms',
      apiKey: this.tenant.apiKey,
      body: {
        poolId: this.poolId,
        message: TEXT,
        recipients: Array.from({ length: recipients }, (_, index) =>
          recipientOf(number * recipients + index),
        ),
      },
    };
  }

  async remove(): Promise<void> {
    const path = `gateway/pools/${this.poolId}?pending=keep`;
    await this.http.call({ method: 'DELETE', path, apiKey: this.tenant.apiKey });
  }
}
