import { type AirRecord, numberedSims, VirtualPhone } from 'messaging-gateway-phone';
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

/** A SIM of the pool, with what it has sent. */
export class PoolSim {
  private readonly records: AirRecord[] = [];

  constructor(
    readonly phone: VirtualPhone,
    readonly subscriptionId: number,
    private readonly kind: (typeof KINDS)[number],
    private readonly label: string,
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

  /** @param now epoch milliseconds. */
  row(now: number): SimRow {
    const partTimes = this.records.flatMap((record) => record.partTimes);
    const failed = this.records.filter(({ fate }) => fate === 'failed');
    const attempts = this.records.flatMap(({ at, parts }) => Array.from({ length: parts }, () => at));
    const windowMs = Math.min(RATE_WINDOW_MS, now - (attempts[0] ?? now));
    const perMinute = (times: readonly number[]) =>
      windowMs < 1_000 ? 0 : (times.filter((time) => time > now - windowMs).length / windowMs) * 60_000;
    return {
      label: this.label,
      cap: Object.entries(this.kind.caps)
        .map(([name, most]) => `${most} ${CAP_LABELS[name] ?? name}`)
        .join(', '),
      parts: partTimes.length,
      partsPerMinute: perMinute(partTimes),
      attemptedParts: attempts.length,
      attemptsPerMinute: perMinute(attempts),
      failures: failed.length,
      block: this.carrier.block,
    };
  }
}

const CAP_LABELS: Readonly<Record<string, string>> = {
  messagesPerDay: 'messages a day',
  recipientsPerMonth: 'recipients a month',
};

/** Virtual phones of two SIMs with different speeds and caps. */
export class PhonePool {
  private readonly registered = new Map<VirtualPhone, string>();

  private constructor(
    readonly phones: readonly VirtualPhone[],
    readonly sims: readonly PoolSim[],
  ) {
    for (const phone of phones) phone.on('registered', ({ _id }) => this.registered.set(phone, _id));
  }

  /** @throws RequestError if the service rejects a phone. */
  static async start({ url, apiKey }: ServiceAddress, count: number): Promise<PhonePool> {
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
        return new PoolSim(
          phone,
          subscriptionId,
          kind,
          `phone ${index + 1} SIM ${slot + 1} ${kind.carrierName}`,
        );
      }),
    );
    const pool = new PhonePool(phones, sims);
    try {
      await Promise.all(phones.map((phone) => phone.start()));
    } catch (failure) {
      await pool.stop();
      throw failure;
    }
    return pool;
  }

  /** Disables the devices, so that later messages go to other phones. */
  async stop(): Promise<void> {
    for (const phone of this.phones) {
      const id = this.registered.get(phone);
      // Without the service, the next demo enables and disables them.
      if (id !== undefined) await phone.api.setEnabled(id, false).catch(() => undefined);
      await phone.stop();
    }
  }
}

function kindOf(index: number): (typeof KINDS)[number] {
  return KINDS[index % KINDS.length] ?? KINDS[0];
}
