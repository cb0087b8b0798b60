import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import type { Records } from '../../../bench/records';
import { makeTenant, type Tenant } from '../../../bench/tenant';
import type { Message } from '../../../src/messages/message.schema';
import { eventually } from '../../support/eventually';
import type { Attack, AttackStage, Finding } from '../attack';
import { type Answers, callApi, countAnswer, readData } from '../call';
import { EventPulse } from '../event-pulse';
import { median, percentile } from '../loopback-client';
import { MachineLoad } from '../machine-load';
import { MemoryWatch } from '../memory';
import { Sink } from '../sink';

const HEAP_MEGABYTES = 256;

/** Beside the heap: code, buffers and sockets. */
const MAX_MEMORY_MEGABYTES = HEAP_MEGABYTES + 192;
const MAX_DELIVERY_MS = 2_000;

/** In the short form so many of the events must come in time, and where something else keeps the machine busy, later. */
const SHORT_SHARE = 0.95;
const MAX_BUSY_DELIVERY_MS = 20_000;

const SUBSCRIPTIONS = 10;
const UPLOAD_CHARACTERS = 1_900_000;
const HEARTBEATS = 10;

/** The largest text that is stored today. */
const FULL_TEXT = '\u{1F600}'.repeat(10_000);

/** Earlier versions stored any text that fitted into a request. */
const OLD_TEXT = 'x'.repeat(1_950_000);

const SHORT = { uploads: 20, fullMessages: 20, oldMessages: 10, oldDeliveries: 4, drainMs: 1_000 };
const LONG = { uploads: 40, fullMessages: 200, oldMessages: 60, oldDeliveries: 30, drainMs: 300_000 };

/** Uploads, heartbeats and stored documents as large as they get, for ten subscriptions, with one bad event among them. */
export const poisonedUploads: Attack = {
  name: 'poisoned-uploads',
  roles: ['api', 'worker', 'scheduler'],
  environment: { RATE_LIMIT_PER_KEY: '0' },
  nodeArguments: [`--max-old-space-size=${HEAP_MEGABYTES}`],
  async run(stage: AttackStage): Promise<Finding[]> {
    const { records, installation, apiUrl, isShort, say } = stage;
    const size = isShort ? SHORT : LONG;
    const sink = await Sink.start();
    const victim = await EventPulse.start(apiUrl, await makeTenant(records, 'victim', 1));
    const memories = installation.processes.map((process) => ({
      name: process.name,
      watch: new MemoryWatch(process),
    }));
    try {
      const attacker = await makeTenant(records, 'poison', 1);
      await subscribe(apiUrl, attacker, sink.url);
      const machine = new MachineLoad();
      await machine.during(() => sleep(isShort ? 1_000 : 5_000));
      const quietMs = Math.max(...victim.timesMs());
      const answers = await upload(apiUrl, attacker, size.uploads);
      say(`uploads and heartbeats answered ${JSON.stringify(answers)}`);
      await storeOld(records, attacker, size);
      // A relay is woken by what comes in, and goes over everything that waits.
      const isDrained = await drained(records, attacker, size.drainMs);
      await victim.settle();
      const times = victim.timesMs();
      const slowestMs = Math.max(...times);
      const judgedMs = isShort ? percentile(times, SHORT_SHARE) : slowestMs;
      const bad = await records.messages.findOne({ user: attacker.user, sender: BAD });
      const restarts = installation.processes.reduce((sum, { starts }) => sum + starts - 1, 0);
      const most = memories
        .map(({ name, watch }) => `${name} ${watch.mostMegabytes.toFixed(0)} MB`)
        .join(', ');
      say(`${sink.count} events of the attacker, ${sink.megabytes} MB; ${most}`);
      return [
        {
          attack: 'poisoned-uploads',
          cost: `${size.uploads} uploads and ${HEARTBEATS} heartbeats of 1.9 MB, ${size.fullMessages} full, ${size.oldMessages} old messages and ${size.oldDeliveries} old deliveries of 1.9 MB, ${SUBSCRIPTIONS} subscriptions, answered ${JSON.stringify(answers)}`,
          effect: `${victim.count} events, median ${median(times)} ms, slowest ${slowestMs} ms (quiet ${quietMs})${machine.note}, ${victim.missing} missing; ${restarts} restarts; ${most}; ${sink.count} events of the attacker (${sink.megabytes} MB), ${isDrained ? 'all' : 'not all'} relayed${bad?.relaySetAsideAt ? ', the bad one set aside' : ''}`,
          bound: `${isShort ? `${SHORT_SHARE * 100} % of the events` : 'each event'} within ${MAX_DELIVERY_MS / 1_000} s, no restart, ${MAX_MEMORY_MEGABYTES} MB each`,
          isHeld:
            judgedMs <= (isShort && machine.isBusy ? MAX_BUSY_DELIVERY_MS : MAX_DELIVERY_MS) &&
            victim.missing === 0 &&
            restarts === 0 &&
            memories.every(({ watch }) => watch.mostMegabytes <= MAX_MEMORY_MEGABYTES) &&
            answers['200'] === size.uploads + HEARTBEATS &&
            sink.count > 0 &&
            (isShort || (isDrained && bad?.relaySetAsideAt !== undefined)),
        },
      ];
    } finally {
      for (const { watch } of memories) watch.stop();
      await victim.stop();
      await sink.stop();
    }
  },
};

const BAD = 'BAD';

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

/** Four at a time, as a phone and its owner's tools would. */
async function upload(apiUrl: string, { apiKey, devices }: Tenant, count: number): Promise<Answers> {
  const device = `/gateway/devices/${String(devices[0])}`;
  const answers: Answers = {};
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
      await countAnswer(answers, callApi(apiUrl, apiKey, 'POST', next.path, next.body));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return answers;
}

/** What an earlier version may have left behind, with events stuck in the outboxes, and a bad one in the middle. */
async function storeOld(records: Records, tenant: Tenant, size: typeof LONG): Promise<void> {
  const dueAt = new Date();
  const make = (message: string, given: Partial<Message> = {}) =>
    receivedMessage(tenant, message, dueAt, given);
  for (let stored = 0; stored < size.fullMessages; stored += 20) {
    const count = Math.min(20, size.fullMessages - stored);
    await records.messages.insertMany(Array.from({ length: count }, () => make(FULL_TEXT)));
  }
  for (let index = 0; index < size.oldMessages; index++) {
    if (index === Math.floor(size.oldMessages / 2)) await storeBad(records, make('bad', { sender: BAD }));
    await records.messages.insertOne(make(OLD_TEXT));
  }
  const subscriptions = await records.database
    .collection('webhooksubscriptions')
    .find({ user: tenant.user }, { projection: { _id: 1 } })
    .toArray();
  for (let index = 0; index < size.oldDeliveries; index++) {
    const { _id: message } = make('');
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
      body: JSON.stringify({ message: OLD_TEXT }),
      attempts: [],
      redeliveryCount: 0,
    });
  }
}

/** The time of its event is none: no attempt on it can succeed. */
async function storeBad(records: Records, message: Message): Promise<void> {
  const outbox = [{ event: 'MESSAGE_RECEIVED', at: 'yesterday' }];
  await records.database.collection('messages').insertOne(Object.assign({}, message, { outbox }));
}

function receivedMessage(
  { user, devices }: Tenant,
  message: string,
  at: Date,
  given: Partial<Message>,
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
    receivedAt: at,
    fingerprint: _id.toHexString(),
    raised: ['MESSAGE_RECEIVED'],
    outbox: [{ event: 'MESSAGE_RECEIVED', at }],
    relayDueAt: at,
    countedAt: at,
    createdAt: at,
    updatedAt: at,
    ...given,
  };
}

/** @returns whether nothing of the attacker waits any more, but what is set aside. */
async function drained(records: Records, { user }: Tenant, limitMs: number): Promise<boolean> {
  const waiting = async () =>
    (await records.messages.countDocuments({
      user,
      relaySetAsideAt: { $exists: false },
      $or: [{ relayDueAt: { $exists: true } }, { relayAloneAt: { $exists: true } }],
    })) + (await records.deliveries.countDocuments({ user, nextDeliveryAttemptAt: { $exists: true } }));
  return eventually(waiting, (count) => count === 0, limitMs).then(
    () => true,
    () => false,
  );
}
