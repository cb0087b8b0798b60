import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../test/chaos/api-client';
import { PhoneFleet } from '../../test/load/phone-fleet';
import { recipientOf, TEXT } from '../documents';
import type { Records } from '../records';
import { createTenant } from '../tenant';

const ACCOUNTS = 16;
const PHONES_PER_ACCOUNT = 5;
const WEBHOOKS_PER_ACCOUNT = 2;
const DASHBOARDS = 2;
const DASHBOARD_INTERVAL_MS = 1_000;

const DASHBOARD_READS = [
  'gateway/stats',
  'gateway/devices',
  'gateway/messages?limit=50',
  'webhooks/notifications?limit=50',
];

export interface TrafficSettings {
  readonly records: Records;
  readonly baseUrl: string;
  readonly webhookUrl: string;
  readonly onError: (error: string) => void;
}

/** A program that sends through the phones of its account. */
interface Program {
  readonly api: ApiClient;
  readonly devices: readonly string[];
}

/** The programs, phones and dashboards of sixteen accounts. Times are in milliseconds. */
export class LifecycleTraffic {
  answerTimes: number[] = [];
  toPhoneTimes: number[] = [];
  private readonly programs: Program[] = [];
  private readonly fleets: PhoneFleet[] = [];
  private readonly dueAt = new Map<string, number>();
  private readonly dashboards: Promise<void>[] = [];
  private isStopping = false;
  private sent = 0;

  private constructor(private readonly settings: TrafficSettings) {}

  static async start(settings: TrafficSettings): Promise<LifecycleTraffic> {
    const traffic = new LifecycleTraffic(settings);
    for (let account = 0; account < ACCOUNTS; account++) await traffic.addAccount();
    for (const { api } of traffic.programs.slice(0, DASHBOARDS))
      traffic.dashboards.push(traffic.readDashboard(api));
    return traffic;
  }

  /** Sends one message, the accounts and their phones in turn. @param dueAt in `performance.now()` time. */
  async send(number: number, dueAt: number): Promise<void> {
    const program = this.programs[number % this.programs.length];
    if (!program) throw new Error('There is no account');
    const { api, devices } = program;
    const deviceId = devices[Math.floor(number / this.programs.length) % devices.length];
    const recipient = recipientOf(this.sent++);
    this.dueAt.set(recipient, dueAt);
    const call = {
      method: 'POST',
      path: 'gateway/send-sms',
      body: { deviceId, message: TEXT, recipients: [recipient] },
    };
    await this.attempt(() => api.data(this.settings.baseUrl, call));
    this.answerTimes.push(performance.now() - dueAt);
  }

  forget(): void {
    this.answerTimes = [];
    this.toPhoneTimes = [];
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.dashboards);
    await Promise.all(this.fleets.map((fleet) => fleet.stop()));
  }

  private async addAccount(): Promise<void> {
    const { records, baseUrl, webhookUrl, onError } = this.settings;
    const { apiKey } = await createTenant(records, 'lifecycle', 1);
    const api = new ApiClient(apiKey);
    for (let webhook = 0; webhook < WEBHOOKS_PER_ACCOUNT; webhook++)
      await api.data(baseUrl, {
        method: 'POST',
        path: 'webhooks',
        body: {
          deliveryUrl: webhookUrl,
          signingSecret: 'a secret of the lifecycle benchmark',
          events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
        },
      });
    const fleet = await PhoneFleet.start(PHONES_PER_ACCOUNT, {
      baseUrl,
      apiKey,
      onError,
      onReceived: (recipient) => {
        const dueAt = this.dueAt.get(recipient);
        if (dueAt === undefined) return;
        this.dueAt.delete(recipient);
        this.toPhoneTimes.push(performance.now() - dueAt);
      },
    });
    this.fleets.push(fleet);
    this.programs.push({ api, devices: fleet.devices });
  }

  private async readDashboard(api: ApiClient): Promise<void> {
    while (!this.isStopping) {
      for (const path of DASHBOARD_READS)
        await this.attempt(() => api.data(this.settings.baseUrl, { method: 'GET', path }));
      await sleep(DASHBOARD_INTERVAL_MS);
    }
  }

  private async attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (failure) {
      this.settings.onError(String(failure));
    }
  }
}
