import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import type { Service } from './service';

const SIMS_PER_PHONE = 2;

export interface PoolSetup {
  readonly name: string;
  readonly sims: number;
  readonly simsPerPhone?: number;
  /** The limit of a SIM. @param index from 0. */
  readonly partsPerMinute: (index: number) => number;
  /** The time a part takes on the air, as a share of the time that the limit gives it; 0: none. */
  readonly airTimeShare: number;
}

export interface PoolSim {
  readonly id: string;
  readonly name: string;
  readonly partsPerMinute: number;
  readonly phone: VirtualPhone;
  readonly subscriptionId: number;
}

/** A message that a phone has sent or could not send. Times are in epoch milliseconds. */
export interface AirEvent {
  readonly sim: PoolSim;
  readonly recipient: string;
  readonly batch: string;
  readonly isFailed: boolean;
  /** When its first part was on the air; of a failed message, when it failed. */
  readonly firstAt: number;
  /** When its last part was on the air, or failed. */
  readonly lastAt: number;
}

interface StoredSim {
  readonly _id: string;
  readonly device?: string;
  readonly subscriptionId?: number;
}

/** Virtual phones with two SIMs each, which are one pool of the service. */
export class SenderPool {
  readonly events: AirEvent[] = [];

  private constructor(
    readonly id: string,
    readonly sims: readonly PoolSim[],
    private readonly phones: readonly VirtualPhone[],
  ) {
    for (const sim of sims) this.listen(sim);
  }

  static async start(service: Service, setup: PoolSetup): Promise<SenderPool> {
    const { name, sims: count, simsPerPhone = SIMS_PER_PHONE } = setup;
    const phones = Array.from({ length: count / simsPerPhone }, (_, index) =>
      createPhone(service, setup, index, simsPerPhone),
    );
    await Promise.all(phones.map((phone) => phone.start()));
    const stored = await service.call<readonly StoredSim[]>('GET', 'sims');
    const sims = phones.flatMap((phone, phoneIndex) =>
      phone.sims.map(({ subscriptionId, slot }): PoolSim => {
        const record = stored.find(
          (sim) => sim.device === phone.deviceId && sim.subscriptionId === subscriptionId,
        );
        if (!record) throw new Error(`The service has no SIM ${subscriptionId} of phone ${phoneIndex + 1}`);
        const index = phoneIndex * simsPerPhone + slot;
        const partsPerMinute = setup.partsPerMinute(index);
        return { id: record._id, name: `SIM ${index + 1}`, partsPerMinute, phone, subscriptionId };
      }),
    );
    for (const { id, partsPerMinute } of sims)
      await service.call('PATCH', `sims/${id}`, { limits: { partsPerMinute } });
    const { _id } = await service.call<{ _id: string }>('POST', 'pools', {
      name,
      sims: sims.map(({ id }) => id),
    });
    return new SenderPool(_id, sims, phones);
  }

  async stop(): Promise<void> {
    for (const phone of this.phones) await phone.stop({ finishWithinMs: 5_000 });
  }

  private listen(sim: PoolSim): void {
    sim.phone.on('onAir', ({ simSubscriptionId, recipient, smsBatchId, fate, partTimes, at }) => {
      if (simSubscriptionId !== sim.subscriptionId) return;
      this.events.push({
        sim,
        recipient,
        batch: smsBatchId,
        isFailed: fate === 'failed',
        firstAt: partTimes[0] ?? at,
        lastAt: at,
      });
    });
  }
}

function createPhone(
  { baseUrl, apiKey }: Service,
  { name, partsPerMinute, airTimeShare }: PoolSetup,
  index: number,
  simsPerPhone: number,
): VirtualPhone {
  const serial = `${name}-${index + 1}`;
  return new VirtualPhone({
    baseUrl,
    apiKey,
    serial,
    name: serial,
    switchOn: true,
    sendDelaySeconds: 0,
    sims: numberedSims(simsPerPhone, serial, (slot) => ({
      secondsPerPart: (airTimeShare * 60) / partsPerMinute(index * simsPerPhone + slot),
    })),
  });
}
