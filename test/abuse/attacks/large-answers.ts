import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { batchOf, deliveredMessage } from '../../../bench/documents';
import { makeTenant, type Tenant } from '../../../bench/tenant';
import { eventually } from '../../support/eventually';
import type { Attack, AttackStage, Finding } from '../attack';
import { callApi } from '../call';
import { MemoryWatch } from '../memory';
import { measureSlowdown, slowdownBound } from '../windows';
import { Readers } from './readers';

const HEAP_MEGABYTES = 256;
const READERS_OF_EACH = 16;
const MAX_SLOWDOWN = 3;

/** Beside the heap: code, buffers and sockets. */
const MAX_MEMORY_MEGABYTES = HEAP_MEGABYTES + 192;

/** How long an answer that nobody reads may stay: until the buffers on its way are full, and two minutes more. */
const MAX_UNREAD_MS = 180_000;

/** Between two looks at the places, so that looking costs the service little. */
const LOOK_INTERVAL_MS = 1_000;

const SENT_TEXT = '\u{1F600}'.repeat(1_600);
const RECEIVED_TEXT = '\u{1F600}'.repeat(10_000);
const PAGE_SIZE = 100;

/** The largest batch, page, device list and delivery history, each read by sixteen at once, or not read by them. */
export const largeAnswers: Attack = {
  name: 'large-answers',
  roles: ['api'],
  environment: { RATE_LIMIT_PER_KEY: '0' },
  nodeArguments: [`--max-old-space-size=${HEAP_MEGABYTES}`],
  async run(stage: AttackStage): Promise<Finding[]> {
    const { installation, isShort } = stage;
    const attacker = await makeTenant(stage.records, 'reader', 1);
    const paths = await storeAnswers(stage, attacker, isShort ? 2_000 : 10_000);
    const [api] = installation.withRole('api');
    if (!api) throw new Error('There is no API');
    const memory = new MemoryWatch(api);
    try {
      return [
        await read(stage, attacker, memory, { batch: paths.batch, list: paths.list }),
        ...(isShort
          ? []
          : [await read(stage, attacker, memory, { history: paths.history, device: paths.device })]),
        ...(await stall(stage, attacker, memory, paths)),
      ];
    } finally {
      memory.stop();
    }
  },
};

/** @returns the paths of the large answers. */
async function storeAnswers({ records, say }: AttackStage, tenant: Tenant, recipients: number) {
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
  say(
    `${recipients} messages of a batch, ${PAGE_SIZE} large messages and ${PAGE_SIZE} large deliveries are stored`,
  );
  return {
    batch: `/gateway/devices/${String(device)}/sms-batch/${String(batch._id)}`,
    list: `/gateway/messages?limit=${PAGE_SIZE}`,
    device: `/gateway/devices/${String(device)}/messages?limit=${PAGE_SIZE}`,
    history: `/webhooks/notifications?limit=${PAGE_SIZE}`,
  };
}

type Paths = Readonly<Record<string, string>>;

const forReaders = (paths: Paths): string[] =>
  Object.values(paths).flatMap((path) => Array.from({ length: READERS_OF_EACH }, () => path));

async function read(
  stage: AttackStage,
  { apiKey }: Tenant,
  memory: MemoryWatch,
  paths: Paths,
): Promise<Finding> {
  let megabytes = 0;
  const statuses = new Set<string>();
  const slowdown = await measureSlowdown(stage, MAX_SLOWDOWN, async () => {
    const readers = await Readers.start({
      url: stage.apiUrl,
      apiKey,
      paths: forReaders(paths),
      kind: 'read',
    });
    return {
      end: async () => {
        await readers.end();
        megabytes += readers.report.megabytes;
        for (const status of Object.keys(readers.report.answers)) statuses.add(status);
      },
    };
  });
  const names = Object.keys(paths).join(' and of the largest ');
  return {
    attack: 'large-answers: read',
    cost: `${READERS_OF_EACH} readers each of the largest ${names}, ${megabytes} MB, answered ${[...statuses].join(', ')}`,
    effect: `${slowdown.text}; at most ${memory.mostMegabytes.toFixed(0)} MB`,
    bound: `${slowdownBound(MAX_SLOWDOWN)}; ${MAX_MEMORY_MEGABYTES} MB, all answered 200`,
    isHeld:
      slowdown.isHeld &&
      memory.mostMegabytes <= MAX_MEMORY_MEGABYTES &&
      [...statuses].every((status) => status === '200') &&
      megabytes > 0,
  };
}

/** Readers who leave halfway, and readers who never read. */
async function stall(
  stage: AttackStage,
  { apiKey }: Tenant,
  memory: MemoryWatch,
  { batch, list, history }: { readonly batch: string; readonly list: string; readonly history: string },
): Promise<Finding[]> {
  const { apiUrl, isShort, say } = stage;
  const paths = forReaders({ batch, list, history });
  const statusOf = async () => (await callApi(apiUrl, apiKey, 'GET', '/gateway/messages?limit=1')).status;
  const placesAreFree = (limitMs: number) =>
    eventually(
      async () => {
        await sleep(LOOK_INTERVAL_MS);
        return Promise.all(Array.from({ length: 40 }, statusOf));
      },
      (statuses) => statuses.every((status) => status === 200),
      limitMs,
    );

  await placesAreFree(20_000);
  const leaving = await Readers.start({ url: apiUrl, apiKey, paths, kind: 'leave' });
  await sleep(isShort ? 500 : 10_000);
  await leaving.end();
  say(`readers who leave: ${JSON.stringify(leaving.report)}`);
  await placesAreFree(20_000);

  // As many as an account may have, and more.
  const stalled = await Readers.start({ url: apiUrl, apiKey, paths: [...paths, ...paths], kind: 'stall' });
  const refused = stalled.report.answers['429'] ?? 0;
  const begun = Date.now();
  if (!isShort) await placesAreFree(MAX_UNREAD_MS);
  const cutAfterS = Math.round((Date.now() - begun) / 1_000);
  await stalled.end();
  say(`readers who do not read: ${JSON.stringify(stalled.report)}`);
  await placesAreFree(20_000);
  const most = memory.mostMegabytes;
  return [
    {
      attack: 'large-answers: unread',
      cost: `${paths.length} readers who leave at once, again and again; ${2 * paths.length} who never read`,
      effect: `${refused} refused, places free again${isShort ? '' : `, cut after ${cutAfterS} s`}; at most ${most.toFixed(0)} MB`,
      bound: `429 beyond 50 at once; ${MAX_MEMORY_MEGABYTES} MB; cut within ${MAX_UNREAD_MS / 1_000} s`,
      isHeld: refused > 0 && most <= MAX_MEMORY_MEGABYTES,
    },
  ];
}
