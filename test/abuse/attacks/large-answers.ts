import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { batchOf, deliveredMessage } from '../../../bench/documents';
import { createTenant, type Tenant } from '../../../bench/tenant';
import { eventually } from '../../support/eventually';
import type { Attack, AttackContext, Finding } from '../attack';
import { callApi } from '../api-calls';
import { MemoryWatch } from '../memory-watch';
import { measureSlowdown, formatBound } from '../slowdown';
import { Readers } from './readers';

const HEAP_MEGABYTES = 256;
const READERS_PER_PATH = 16;
const MAX_SLOWDOWN = 3;

/** Heap plus code, buffers and sockets. */
const MAX_MEMORY_MEGABYTES = HEAP_MEGABYTES + 192;

/** Two minutes after its buffers are full, an unread response must be closed. The buffers of 96 fill in turns. */
const MAX_UNREAD_MS = 240_000;

const CHECK_INTERVAL_MS = 1_000;

const SENT_TEXT = '\u{1F600}'.repeat(1_600);
const RECEIVED_TEXT = '\u{1F600}'.repeat(10_000);
const PAGE_SIZE = 100;

/** Sixteen readers each of the largest batch, page, device list and delivery history; then readers that do not read. */
export const largeAnswers: Attack = {
  name: 'large-answers',
  roles: ['api'],
  environment: { RATE_LIMIT_PER_KEY: '0' },
  nodeArguments: [`--max-old-space-size=${HEAP_MEGABYTES}`],
  async run(context: AttackContext): Promise<Finding[]> {
    const { installation, isShort } = context;
    const attacker = await createTenant(context.records, 'reader', 1);
    const paths = await storeLargeDocuments(context, attacker, isShort ? 2_000 : 10_000);
    const [api] = installation.withRole('api');
    if (!api) throw new Error('There is no API');
    const memory = new MemoryWatch(api);
    try {
      return [
        await measureReaders(context, attacker, memory, { batch: paths.batch, list: paths.list }),
        ...(isShort
          ? []
          : [
              await measureReaders(context, attacker, memory, { history: paths.history }),
              await measureReaders(context, attacker, memory, { device: paths.device }),
            ]),
        ...(await testUnreadResponses(context, attacker, memory, paths)),
      ];
    } finally {
      memory.stop();
    }
  },
};

/** @returns the paths of the large answers. */
async function storeLargeDocuments({ records, log }: AttackContext, tenant: Tenant, recipients: number) {
  const [device] = tenant.devices;
  if (!device) throw new Error('There is no device');
  const batch = batchOf(tenant, device, recipients, new Date(Date.now() - 3_600_000));
  await records.batches.insertOne(batch);
  await records.fillMessages(recipients, (number) => deliveredMessage(batch, number, { message: SENT_TEXT }));
  const now = new Date();
  for (let index = 0; index < PAGE_SIZE; index++) {
    const message = deliveredMessage(batch, index, { createdAt: now, message: RECEIVED_TEXT });
    const { smsBatch: _, recipient: __, ...received } = message;
    await records.messages.insertOne({
      ...received,
      direction: 'received',
      status: 'received',
      sender: '+4915112345678',
      receivedAt: now,
      fingerprint: String(index),
    });
    await records.deliveries.insertOne({
      _id: new Types.ObjectId(),
      user: tenant.user,
      webhookSubscription: new Types.ObjectId(),
      event: 'MESSAGE_RECEIVED',
      computedStatus: 'delivered',
      deliveryAttemptCount: 1,
      createdAt: now,
      message: message._id,
      device,
      reportedStatus: '',
      body: JSON.stringify({ message: RECEIVED_TEXT.repeat(3), sender: '+4915112345678' }),
      attempts: [],
      redeliveryCount: 0,
    });
  }
  log(
    `${recipients} messages of a batch, ${PAGE_SIZE} large messages and ${PAGE_SIZE} large deliveries stored`,
  );
  return {
    batch: `/gateway/devices/${String(device)}/sms-batch/${String(batch._id)}`,
    list: `/gateway/messages?limit=${PAGE_SIZE}`,
    device: `/gateway/devices/${String(device)}/messages?limit=${PAGE_SIZE}`,
    history: `/webhooks/notifications?limit=${PAGE_SIZE}`,
  };
}

type Paths = Readonly<Record<string, string>>;

const repeatForReaders = (paths: Paths): string[] =>
  Object.values(paths).flatMap((path) => Array.from({ length: READERS_PER_PATH }, () => path));

async function measureReaders(
  context: AttackContext,
  { apiKey }: Tenant,
  memory: MemoryWatch,
  paths: Paths,
): Promise<Finding> {
  let megabytes = 0;
  const statuses = new Set<string>();
  const slowdown = await measureSlowdown(context, MAX_SLOWDOWN, async () => {
    const readers = await Readers.start({
      url: context.apiUrl,
      apiKey,
      paths: repeatForReaders(paths),
      kind: 'read',
    });
    return {
      stop: async () => {
        await readers.stop();
        megabytes += readers.report.megabytes;
        for (const status of Object.keys(readers.report.statusCounts)) statuses.add(status);
      },
    };
  });
  const names = Object.keys(paths).join(' and of the largest ');
  return {
    attack: 'large-answers: read',
    cost: `${READERS_PER_PATH} readers each of the largest ${names}, ${megabytes} MB, responses ${[...statuses].join(', ')}`,
    effect: `${slowdown.text}; at most ${memory.maxMegabytes.toFixed(0)} MB`,
    bound: `${formatBound(MAX_SLOWDOWN)}; ${MAX_MEMORY_MEGABYTES} MB; all responses 200`,
    passed:
      slowdown.isWithinBound &&
      memory.maxMegabytes <= MAX_MEMORY_MEGABYTES &&
      [...statuses].every((status) => status === '200') &&
      megabytes > 0,
  };
}

/** Readers that disconnect early, and readers that never read. */
async function testUnreadResponses(
  context: AttackContext,
  { apiKey }: Tenant,
  memory: MemoryWatch,
  { batch, list, history }: { readonly batch: string; readonly list: string; readonly history: string },
): Promise<Finding[]> {
  const { apiUrl, isShort, log } = context;
  const paths = repeatForReaders({ batch, list, history });
  const statusOf = async () => (await callApi(apiUrl, apiKey, 'GET', '/gateway/messages?limit=1')).status;
  const waitForFreeSlots = (timeoutMs: number) =>
    eventually(
      async () => {
        await sleep(CHECK_INTERVAL_MS);
        return Promise.all(Array.from({ length: 40 }, statusOf));
      },
      (statuses) => statuses.every((status) => status === 200),
      timeoutMs,
    );

  await waitForFreeSlots(20_000);
  const disconnecting = await Readers.start({ url: apiUrl, apiKey, paths, kind: 'leave' });
  await sleep(isShort ? 500 : 10_000);
  await disconnecting.stop();
  log(`disconnecting readers: ${JSON.stringify(disconnecting.report)}`);
  await waitForFreeSlots(20_000);

  const stalled = await Readers.start({ url: apiUrl, apiKey, paths: [...paths, ...paths], kind: 'stall' });
  const refused = stalled.report.statusCounts['429'] ?? 0;
  const startedAt = Date.now();
  if (!isShort) await waitForFreeSlots(MAX_UNREAD_MS);
  const closedAfterSeconds = Math.round((Date.now() - startedAt) / 1_000);
  await stalled.stop();
  log(`stalled readers: ${JSON.stringify(stalled.report)}`);
  await waitForFreeSlots(20_000);
  const maxMegabytes = memory.maxMegabytes;
  return [
    {
      attack: 'large-answers: unread',
      cost: `${paths.length} readers that disconnect repeatedly; ${2 * paths.length} that never read`,
      effect: `${refused} refused, slots released${isShort ? '' : `, closed after ${closedAfterSeconds} s`}; at most ${maxMegabytes.toFixed(0)} MB`,
      bound: `429 above 50 concurrent lists; ${MAX_MEMORY_MEGABYTES} MB; closed within ${MAX_UNREAD_MS / 1_000} s`,
      passed: refused > 0 && maxMegabytes <= MAX_MEMORY_MEGABYTES,
    },
  ];
}
