import { type AirRecord, numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import type { GatewayApi } from './gateway-api';
import type { ServiceAddress } from './service-address';
import type { SimRow } from './sim-table';

const SIMS_PER_PHONE = 2;

/** The SIMs of the pool take these in turn. */
const KINDS = [
  { carrierName: 'Alpha', secondsPerPart: 1, caps: { messagesPerDay: 200 } },
  { carrierName: 'Bravo', secondsPerPart: 2, caps: { messagesPerDay: 80 } },
  { carrierName: 'Charlie', secondsPerPart: 0.75, caps: { messagesPerDay: 400 } },
  { carrierName: 'Delta', secondsPerPart: 1.5, caps: { recipientsPerMonth: 150 } },
] as const;
const SEND_DELAY_SECONDS = 0.2;
const FAILURE_RATE = 0.01;
const RATE_WINDOW_MS = 15_000;
const POOL_NAME = 'Demo';

/** A SIM of the pool, with what it has sent. */
export class PoolSim {
  private readonly records: AirRecord[] = [];

  constructor(
    readonly phone: VirtualPhone,
    readonly subscriptionId: number,
    private readonly kind: (typeof KINDS)[number],
    readonly label: string,
  ) {
    phone.on('onAir', (record) => {
      if (record.simSubscriptionId === subscriptionId) this.records.push(record);
    });
  }

  get secondsPerPart(): number {
    return this.kind.secondsPerPart;
  }

  get carrier() {
    return this.phone.sim(this.subscriptionId).carrier;
  }

  /** When it failed messages, in epoch milliseconds. */
  get failureTimes(): number[] {
    return this.records.filter(({ fate }) => fate === 'failed').map(({ at }) => at);
  }

  /** When it had sent its last message, in epoch milliseconds; 0 for none. */
  get lastAt(): number {
    return this.records.at(-1)?.at ?? 0;
  }

  /** @param now epoch milliseconds. */
  row(now: number): Omit<SimRow, 'waiting' | 'breaker'> {
    const { length: failed } = this.failureTimes;
    const partTimes = this.records.flatMap((record) => record.partTimes);
    const windowMs = Math.min(RATE_WINDOW_MS, now - (this.records[0]?.at ?? now));
    const recent = partTimes.filter((time) => time > now - windowMs).length;
    return {
      label: this.label,
      cap: Object.entries(this.kind.caps)
        .map(([name, most]) => `${most} ${CAP_LABELS[name] ?? name}`)
        .join(', '),
      sent: this.records.length - failed,
      failed,
      partsPerMinute: windowMs < 1_000 ? 0 : (recent / windowMs) * 60_000,
      block: this.carrier.block,
    };
  }
}

const CAP_LABELS: Readonly<Record<string, string>> = {
  messagesPerDay: 'messages a day',
  recipientsPerMonth: 'recipients a month',
};

/** Virtual phones of two SIMs with different speeds and caps, which are one pool of the service. */
export class PhonePool {
  private readonly registered = new Map<VirtualPhone, string>();
  /** By their ids. */
  private simsById: ReadonlyMap<string, PoolSim> = new Map();
  private poolId: string | undefined;

  private constructor(
    private readonly api: GatewayApi,
    readonly phones: readonly VirtualPhone[],
    readonly sims: readonly PoolSim[],
  ) {
    for (const phone of phones) phone.on('registered', ({ _id }) => this.registered.set(phone, _id));
  }

  /** @throws RequestError if the service rejects a phone; ApiError if it rejects the pool. */
  static async start({ url, apiKey }: ServiceAddress, api: GatewayApi, count: number): Promise<PhonePool> {
    const phones = Array.from({ length: count }, (_, index) => {
      const serial = `demo-phone-${index + 1}`;
      return new VirtualPhone({
        baseUrl: url,
        apiKey,
        serial,
        name: `Demo phone ${index + 1}`,
        switchOn: true,
        sendDelaySeconds: SEND_DELAY_SECONDS,
        failureRate: FAILURE_RATE,
        seed: index + 1,
        sims: numberedSims(SIMS_PER_PHONE, serial, (slot) => kindOf(index * SIMS_PER_PHONE + slot)),
      });
    });
    const sims = phones.flatMap((phone, index) =>
      phone.sims.map(({ subscriptionId, slot }) => {
        const kind = kindOf(index * SIMS_PER_PHONE + slot);
        const label = `phone ${index + 1} SIM ${slot + 1} ${kind.carrierName}`;
        return new PoolSim(phone, subscriptionId, kind, label);
      }),
    );
    const pool = new PhonePool(api, phones, sims);
    try {
      await Promise.all(phones.map((phone) => phone.start()));
      await pool.create();
    } catch (failure) {
      await pool.stop();
      throw failure;
    }
    return pool;
  }

  /** @throws Error before the start. */
  get id(): string {
    if (this.poolId === undefined) throw new Error('the pool does not exist yet');
    return this.poolId;
  }

  /** @param id of the SIM in the service. */
  sim(id: string): PoolSim | undefined {
    return this.simsById.get(id);
  }

  /**
   * Deletes the pool and the limits of its SIMs, and disables the devices, so that later messages go to other phones.
   * Without the service, the next demo does.
   */
  async stop(): Promise<void> {
    if (this.poolId !== undefined) await this.api.deletePool(this.poolId).catch(() => undefined);
    for (const id of this.simsById.keys())
      await this.api.updateSim(id, { limits: null }).catch(() => undefined);
    for (const phone of this.phones) {
      const id = this.registered.get(phone);
      if (id !== undefined) await phone.api.setEnabled(id, false).catch(() => undefined);
      await phone.stop();
    }
  }

  private async create(): Promise<void> {
    const stored = await this.api.sims();
    this.simsById = new Map(
      this.sims.map((sim) => {
        const isSame = ({ device, subscriptionId }: (typeof stored)[number]) =>
          device === sim.phone.deviceId && subscriptionId === sim.subscriptionId;
        const { _id } = stored.find(isSame) ?? {};
        if (_id === undefined) throw new Error(`the service has no ${sim.label}`);
        return [_id, sim];
      }),
    );
    for (const [id, { label, secondsPerPart }] of this.simsById)
      await this.api.updateSim(id, {
        label,
        limits: { partsPerMinute: Math.round(60 / secondsPerPart) },
        resetHealth: true,
      });
    // Of a demo that was killed.
    for (const { _id, name } of await this.api.pools())
      if (name === POOL_NAME) await this.api.deletePool(_id);
    const sims = [...this.simsById.keys()];
    // Otherwise recipients keep the SIMs of an earlier demo, which may have had fewer phones.
    this.poolId = await this.api.createPool({ name: POOL_NAME, sims, strategy: 'least-loaded' });
  }
}

function kindOf(index: number): (typeof KINDS)[number] {
  return KINDS[index % KINDS.length] ?? KINDS[0];
}
