import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import type { Records } from '../../../bench/records';
import { createTenant, type Tenant } from '../../../bench/tenant';
import type { Message } from '../../../src/messages/message.schema';
import { eventually } from '../../support/eventually';
import type { Attack, AttackContext, Finding } from '../attack';
import { type StatusCounts, callApi, countStatus, readData } from '../api-calls';
import { EventLatencyMonitor } from '../event-latency-monitor';
import { median, percentile } from '../loopback-client';
import { MachineLoad } from '../machine-load';
import { MemoryWatch } from '../memory-watch';
import { EventSink } from '../event-sink';

const HEAP_MEGABYTES = 256;

/** Heap plus code, buffers and sockets. */
const MAX_MEMORY_MEGABYTES = HEAP_MEGABYTES + 192;
const MAX_DELIVERY_MS = 2_000;

/** The short run requires this share of the events in time, and allows more time on a busy machine. */
const SHORT_RUN_SHARE = 0.95;
const BUSY_MACHINE_DELIVERY_MS = 20_000;

const SUBSCRIPTIONS = 10;
const UPLOAD_CHARACTERS = 1_900_000;
const HEARTBEATS = 10;

/** The largest text that is stored completely. */
const FULL_TEXT = '\u{1F600}'.repeat(10_000);

/** Earlier versions stored any text that fit into a request. */
const LEGACY_TEXT = 'x'.repeat(1_950_000);

const SHORT_RUN = { uploads: 20, fullMessages: 20, oldMessages: 10, oldDeliveries: 4, drainMs: 1_000 };
const FULL_RUN = { uploads: 40, fullMessages: 200, oldMessages: 60, oldDeliveries: 30, drainMs: 300_000 };

/** Uploads, heartbeats and stored documents of maximum size, for ten subscriptions, with one malformed event. */
export const poisonedUploads: Attack = {
  name: 'poisoned-uploads',
  roles: ['api', 'worker', 'scheduler'],
  environment: { RATE_LIMIT_PER_KEY: '0' },
  nodeArguments: [`--max-old-space-size=${HEAP_MEGABYTES}`],
  async run(context: AttackContext): Promise<Finding[]> {
    const { records, installation, apiUrl, isShort, log } = context;
    const size = isShort ? SHORT_RUN : FULL_RUN;
    const sink = await EventSink.start();
    const victim = await EventLatencyMonitor.start(apiUrl, await createTenant(records, 'victim', 1));
    const memoryWatches = installation.processes.map((process) => ({
      name: process.name,
      watch: new MemoryWatch(process),
    }));
    try {
      const attacker = await createTenant(records, 'poison', 1);
      await subscribe(apiUrl, attacker, sink.url);
      const machine = new MachineLoad();
      await machine.measureDuring(() => sleep(isShort ? 1_000 : 5_000));
      const baselineMs = Math.max(...victim.latenciesMs());
      const answers = await upload(apiUrl, attacker, size.uploads);
      log(`responses to uploads and heartbeats: ${JSON.stringify(answers)}`);
      await storeLegacyData(records, attacker, size);
      // Each upload starts a relay, which also processes the stored events.
      const isRelayed = await waitUntilRelayed(records, attacker, size.drainMs);
      await victim.finish();
      const latencies = victim.latenciesMs();
      const slowestMs = Math.max(...latencies);
      const comparedMs = isShort ? percentile(latencies, SHORT_RUN_SHARE) : slowestMs;
      const malformed = await records.messages.findOne({ user: attacker.user, sender: MALFORMED_SENDER });
      const restarts = installation.processes.reduce((sum, { starts }) => sum + starts - 1, 0);
      const memoryText = memoryWatches
        .map(({ name, watch }) => `${name} ${watch.maxMegabytes.toFixed(0)} MB`)
        .join(', ');
      log(`${sink.count} events of the attacker, ${sink.megabytes} MB; ${memoryText}`);
      return [
        {
          attack: 'poisoned-uploads',
          cost: `${size.uploads} uploads and ${HEARTBEATS} heartbeats of 1.9 MB, ${size.fullMessages} full, ${size.oldMessages} old messages and ${size.oldDeliveries} old deliveries of 1.9 MB, ${SUBSCRIPTIONS} subscriptions, responses ${JSON.stringify(answers)}`,
          effect: `${victim.count} events, median ${median(latencies)} ms, slowest ${slowestMs} ms (baseline ${baselineMs})${machine.note}, ${victim.missing} missing; ${restarts} restarts; ${memoryText}; ${sink.count} events of the attacker (${sink.megabytes} MB), ${isRelayed ? 'all' : 'not all'} relayed${malformed?.relaySetAsideAt ? ', malformed event set aside' : ''}`,
          bound: `${isShort ? `${SHORT_RUN_SHARE * 100} % of the events` : 'each event'} within ${MAX_DELIVERY_MS / 1_000} s, no restarts, ${MAX_MEMORY_MEGABYTES} MB each`,
          passed:
            comparedMs <= (isShort && machine.isBusy ? BUSY_MACHINE_DELIVERY_MS : MAX_DELIVERY_MS) &&
            victim.missing === 0 &&
            restarts === 0 &&
            memoryWatches.every(({ watch }) => watch.maxMegabytes <= MAX_MEMORY_MEGABYTES) &&
            answers['200'] === size.uploads + HEARTBEATS &&
            sink.count > 0 &&
            (isShort || (isRelayed && malformed?.relaySetAsideAt !== undefined)),
        },
      ];
    } finally {
      for (const { watch } of memoryWatches) watch.stop();
      await victim.stop();
      await sink.stop();
    }
  },
};

const MALFORMED_SENDER = 'BAD';

async function subscribe(apiUrl: string, { apiKey }: Tenant, deliveryUrl: string): Promise<void> {
  for (let index = 0; index < SUBSCRIPTIONS; index++)
    await readData(
      callApi(apiUrl, apiKey, 'POST', '/webhooks', {
        deliveryUrl: `${deliveryUrl}/${index}`,
        signingSecret: 'a secret of twenty characters',
        events: ['MESSAGE_RECEIVED'],
      }),
    );
}

/** Uploads with four concurrent requests. */
async function upload(apiUrl: string, { apiKey, devices }: Tenant, count: number): Promise<StatusCounts> {
  const device = `/gateway/devices/${String(devices[0])}`;
  const answers: StatusCounts = {};
  const sims = Array.from({ length: 4_000 }, (_, index) => ({
    subscriptionId: index,
    carrierName: 'c'.repeat(400),
    simSlotIndex: index,
  }));
  const bodies = [
    ...Array.from({ length: count }, (_, index) => ({
      path: `${device}/receive-sms`,
      body: { sender: '+49151', message: `${index} ${'x'.repeat(UPLOAD_CHARACTERS)}` },
    })),
    ...Array.from({ length: HEARTBEATS }, () => ({
      path: `${device}/heartbeat`,
      body: { simInfo: { sims }, locale: 'l'.repeat(100_000) },
    })),
  ];
  const worker = async () => {
    for (let next = bodies.shift(); next; next = bodies.shift())
      await countStatus(answers, callApi(apiUrl, apiKey, 'POST', next.path, next.body));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return answers;
}

/** Stores documents of earlier versions with pending events, and one malformed event. */
async function storeLegacyData(records: Records, tenant: Tenant, size: typeof FULL_RUN): Promise<void> {
  const dueAt = new Date();
  const createMessage = (message: string, overrides: Partial<Message> = {}) =>
    receivedMessage(tenant, message, dueAt, overrides);
  for (let stored = 0; stored < size.fullMessages; stored += 20) {
    const count = Math.min(20, size.fullMessages - stored);
    await records.messages.insertMany(Array.from({ length: count }, () => createMessage(FULL_TEXT)));
  }
  for (let index = 0; index < size.oldMessages; index++) {
    if (index === Math.floor(size.oldMessages / 2))
      await storeMalformed(records, createMessage('bad', { sender: MALFORMED_SENDER }));
    await records.messages.insertOne(createMessage(LEGACY_TEXT));
  }
  const subscriptions = await records.database
    .collection('webhooksubscriptions')
    .find({ user: tenant.user }, { projection: { _id: 1 } })
    .toArray();
  for (let index = 0; index < size.oldDeliveries; index++) {
    const { _id: message } = createMessage('');
    const _id = new Types.ObjectId();
    await records.deliveries.insertOne({
      _id,
      user: tenant.user,
      webhookSubscription: subscriptions[index % SUBSCRIPTIONS]?._id ?? new Types.ObjectId(),
      event: 'MESSAGE_RECEIVED',
      computedStatus: 'pending',
      deliveryAttemptCount: 0,
      nextDeliveryAttemptAt: dueAt,
      createdAt: dueAt,
      message,
      device: tenant.devices[0] ?? new Types.ObjectId(),
      reportedStatus: '',
      body: JSON.stringify({ message: LEGACY_TEXT }),
      attempts: [],
      redeliveryCount: 0,
    });
  }
}

/** Stores a message whose event has an invalid time, so that relaying it always fails. */
async function storeMalformed(records: Records, message: Message): Promise<void> {
  const outbox = [{ event: 'MESSAGE_RECEIVED', at: 'yesterday' }];
  await records.database.collection('messages').insertOne(Object.assign({}, message, { outbox }));
}

function receivedMessage(
  { user, devices }: Tenant,
  message: string,
  at: Date,
  overrides: Partial<Message>,
): Message {
  const _id = new Types.ObjectId();
  return {
    _id,
    user,
    device: devices[0] ?? new Types.ObjectId(),
    direction: 'received',
    status: 'received',
    message,
    sender: '+4915112345678',
    peerNumber: '+4915112345678',
    receivedAt: at,
    fingerprint: _id.toHexString(),
    raised: ['MESSAGE_RECEIVED'],
    outbox: [{ event: 'MESSAGE_RECEIVED', at }],
    relayDueAt: at,
    countedAt: at,
    createdAt: at,
    updatedAt: at,
    ...overrides,
  };
}

/** @returns whether all events of the attacker were relayed, except the one set aside. */
async function waitUntilRelayed(records: Records, { user }: Tenant, timeoutMs: number): Promise<boolean> {
  const countPending = async () =>
    (await records.messages.countDocuments({
      user,
      relaySetAsideAt: { $exists: false },
      $or: [{ relayDueAt: { $exists: true } }, { relayAloneAt: { $exists: true } }],
    })) + (await records.deliveries.countDocuments({ user, nextDeliveryAttemptAt: { $exists: true } }));
  return eventually(countPending, (count) => count === 0, timeoutMs).then(
    () => true,
    () => false,
  );
}
