import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { ApiClient } from '../../test/chaos/api-client';
import { type DayCounts, dayCountsId } from '../../src/totals/totals.schema';
import { storeDeliveredMessages } from '../tenant';
import type { Workbench, WorkbenchTools } from '../workbench';

const PHONES = [
  ['Front desk', 4],
  ['Warehouse', 4],
  ['Night shift', 4],
  ['Van 1', 4],
  ['Van 2', 4],
  ['Office Berlin', 4],
  ['Office Hamburg', 4],
  ['Office Vienna', 4],
  ['Returns', 2],
  ['Newsletter 1', 2],
  ['Newsletter 2', 2],
  ['Spare', 2],
] as const;
const CARRIERS = ['Telekom', 'Vodafone', 'O2', 'Magenta'] as const;
const CONVERSATIONS = 200;
const CAMPAIGN = 400;
/** The messages at the top of the list. */
const LATEST = 16;
const DAYS = 31;
const DAY_MS = 24 * 3_600_000;

const QUESTIONS = [
  'Hello, is my order ready?',
  'Can I come at six instead of five?',
  'Thank you, that works.',
  'Do you have the blue one in size 42?',
  'I was not at home. When do you try again?',
  'Yes, please.',
  'Are you open on Sunday?',
  'Please call me back.',
] as const;
const ANSWERS = [
  'Yes, it is ready. We are open until eight.',
  'Six is fine. See you then.',
  'Tomorrow between 9 and 12.',
] as const;

const numberOf = (index: number) => `+49151${String(23_450_000 + index * 137)}`;

/** An account as a busy shop has it. */
export interface Shop {
  readonly phones: readonly VirtualPhone[];
  /** A campaign that is on its way. */
  readonly campaign: string;
  /** The number of a conversation with answers. */
  readonly customer: string;
}

/**
 * Fills the account of the installation: 12 phones with 40 SIMs, `messages` old messages, 200 conversations, a campaign of 400
 * over a pool, webhooks of which one fails, a phone without a connection and one with an empty battery.
 */
export async function openShop(
  tools: WorkbenchTools,
  messages: number,
  workbench: Workbench,
  log: (text: string) => void,
): Promise<Shop> {
  const { installation, records, receiver } = tools;
  const { apiKey } = installation;
  const baseUrl = installation.apiUrls[0] ?? '';
  const api = new ApiClient(apiKey);
  const call = <T>(method: string, path: string, body?: object) =>
    api.data<T>(baseUrl, { method, path, body, timeoutMs: 120_000 });

  const phones = PHONES.map(
    ([name, sims], index) =>
      new VirtualPhone({
        baseUrl,
        apiKey,
        name,
        serial: name,
        seed: index,
        sendDelaySeconds: 0,
        deliveryDelaySeconds: 0.5,
        failureRate: name === 'Newsletter 2' ? 0.2 : 0,
        sims: numberedSims(sims, name, (slot) => ({
          carrierName: CARRIERS[(index + slot) % CARRIERS.length],
          phoneNumber: `+49170${String(5_550_000 + index * 10 + slot)}`,
        })),
      }),
  );
  workbench.defer(() => Promise.all(phones.map((phone) => phone.stop())));
  for (const phone of phones) await phone.start();
  const [frontDesk, warehouse] = phones;
  if (!frontDesk || !warehouse) throw new Error('There are no phones');

  const account = await records.accounts.findOne({});
  if (!account) throw new Error('There is no account');
  const devices = await records.devices.find({ user: account._id }).toArray();
  const tenant = { user: account._id, apiKey, devices: devices.map(({ _id }) => _id) };
  log(`storing ${messages} messages`);
  await storeDeliveredMessages(records, tenant, messages);
  await records.database.collection('daycounts').insertMany(dayCounts(account._id) as object[]);

  log('conversations');
  for (let index = 0; index < CONVERSATIONS; index += 1) {
    const phone = phones[index % phones.length] ?? frontDesk;
    await phone.receiveSms(numberOf(index), QUESTIONS[index % QUESTIONS.length] ?? '');
    if (index % 3 === 0)
      await call('POST', 'gateway/send-sms', {
        recipients: [numberOf(index)],
        message: ANSWERS[index % ANSWERS.length],
        deviceId: phone.deviceId,
      });
  }

  log('webhooks and a campaign');
  const signingSecret = randomBytes(24).toString('hex');
  const events = ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'];
  await call('POST', 'webhooks', { name: 'Orders', deliveryUrl: receiver.url, signingSecret, events });
  const nobody = `http://127.0.0.1:${await freePort()}/hook`;
  await call('POST', 'webhooks', {
    name: 'Old CRM',
    deliveryUrl: nobody,
    signingSecret,
    events: ['MESSAGE_RECEIVED'],
  });
  const sims = await call<{ _id: string; device: string }[]>('GET', 'gateway/sims');
  const newsletter = phones.slice(8, 11).map(({ deviceId }) => deviceId);
  const pool = await call<{ _id: string }>('POST', 'gateway/pools', {
    name: 'Newsletter',
    strategy: 'round-robin',
    sims: sims.filter(({ device }) => newsletter.includes(device)).map(({ _id }) => _id),
  });
  const { smsBatchId } = await call<{ smsBatchId: string }>('POST', 'gateway/send-sms', {
    recipients: Array.from({ length: CAMPAIGN }, (_, index) => numberOf(1_000 + index)),
    message: 'Autumn sale: 20 % off all coats until Saturday. Reply STOP to get no more of these.',
    poolId: pool._id,
  });
  await call('POST', 'gateway/send-sms', {
    recipients: Array.from({ length: CAMPAIGN }, (_, index) => numberOf(1_000 + index)),
    message: 'Last day of our autumn sale.',
    poolId: pool._id,
    scheduledAt: new Date(Date.now() + 3 * 24 * 3_600_000).toISOString(),
  });
  for (let index = 0; index < 6; index += 1)
    await warehouse.receiveSms(numberOf(index), QUESTIONS[index] ?? '');

  await call('POST', `gateway/devices/${warehouse.deviceId}/heartbeat`, {
    batteryPercentage: 9,
    isCharging: false,
  });
  await phones.at(-1)?.stop();
  await halfDelivered(() => call('GET', `gateway/batches/${smsBatchId}`));
  for (let index = 0; index < LATEST; index += 1) {
    const phone = phones[index % 3] ?? frontDesk;
    if (index % 4 === 2) await phone.receiveSms(numberOf(index), QUESTIONS[index % QUESTIONS.length] ?? '');
    else
      await call('POST', 'gateway/send-sms', {
        recipients: [numberOf(2_000 + index)],
        message: `Your order ${4_711 + index} is ready. We are open until eight.`,
        deviceId: phone.deviceId,
      });
  }
  return { phones, campaign: smsBatchId, customer: numberOf(0) };
}

/** What the service has counted in the days before. */
function dayCounts(user: Types.ObjectId): DayCounts[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date((Math.floor(Date.now() / DAY_MS) - index - 1) * DAY_MS);
    const hours = (scale: number) =>
      Object.fromEntries(
        Array.from({ length: 13 }, (_hour, hour) => [
          hour + 8,
          Math.round(scale * (30 + (((hour + 8) * 7 + index * 13) % 23))),
        ]),
      );
    return {
      _id: dayCountsId(user, day),
      user,
      through: new Date(0),
      counts: { sent: hours(1), delivered: hours(0.94), failed: hours(0.03), received: hours(0.2) },
    };
  });
}

/** Waits until half of a campaign is delivered. @throws Error after five minutes. */
async function halfDelivered(read: () => Promise<unknown>): Promise<void> {
  for (let second = 0; second < 300; second += 1) {
    const { states } = (await read()) as { states: { delivered: number } };
    if (states.delivered > CAMPAIGN / 2) return;
    await sleep(1_000);
  }
  throw new Error('Half of the campaign was not delivered within five minutes');
}
