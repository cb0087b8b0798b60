import type { mongo } from 'mongoose';
import { createTenant } from '../../../bench/tenant';
import type { Attack, AttackContext, Finding } from '../attack';
import { type StatusCounts, callApi, countStatus } from '../api-calls';
import { measureSlowdown, formatBound, windowSeconds } from '../slowdown';

const CALLS_PER_SECOND = 200;
const MAX_STORED = 200;
const MAX_REQUESTS_PER_MINUTE = 600;
const MAX_SEARCHES = 2;

/** Maximum number of concurrent calls. */
const MAX_PENDING_CALLS = 100;
const BURST_CONCURRENCY = 20;
/** All at once when a window begins. */
const SEARCHES_PER_WINDOW_SECOND = 10;
const MAX_SLOWDOWN = 3;

/** Just below the maximum length of a stored text. */
const TEXT = 'x'.repeat(9_900);
const MAX_STORED_BYTES = MAX_STORED * 12_000;

/** A phone that uploads, reports and sends heartbeats in a loop, and a client that searches in a loop. */
export const runawayPhone: Attack = {
  name: 'runaway-phone',
  roles: ['api'],
  environment: {
    MAX_PHONE_REQUESTS_PER_MINUTE: String(MAX_REQUESTS_PER_MINUTE),
    MAX_RECEIVED_MESSAGES_PER_PHONE_DAY: String(MAX_STORED),
    MAX_SEARCHES_PER_ACCOUNT: String(MAX_SEARCHES),
  },
  async run(context: AttackContext): Promise<Finding[]> {
    const { records, apiUrl, isShort, log } = context;
    const searches = SEARCHES_PER_WINDOW_SECOND * windowSeconds(isShort);
    const { user, devices, apiKey } = await createTenant(records, 'runaway', 1);
    const device = `/gateway/devices/${String(devices[0])}`;
    const answers = { uploads: {} as StatusCounts, others: {} as StatusCounts, searches: {} as StatusCounts };
    const withoutRetryAfter: number[] = [];
    const before = await readCollectionSizes(records.database);
    let [callCount, pendingCalls] = [0, 0];
    const call = (method: string, path: string, body?: object) => callApi(apiUrl, apiKey, method, path, body);
    const upload = async () => {
      const body = { sender: '+4915112345678', message: `${callCount} ${TEXT}` };
      const answer = await countStatus(answers.uploads, call('POST', `${device}/receive-sms`, body));
      // The app retries every upload without a 2xx response, so 429 must have a Retry-After.
      if (answer.status !== 200 && !(Number(answer.headers.get('retry-after')) > 0))
        withoutRetryAfter.push(answer.status);
    };
    const otherCalls = [
      () => call('POST', `${device}/heartbeat`, { batteryPercentage: callCount % 100 }),
      () => call('POST', `${device}/messages/ack`, { smsIds: [callCount.toString(16).padStart(24, '0')] }),
      () =>
        call('PATCH', `${device}/sms-status`, {
          smsId: callCount.toString(16).padStart(24, '0'),
          smsBatchId: '0'.repeat(24),
          status: 'SENT',
        }),
    ];
    const callNext = () => {
      callCount += 1;
      const otherCall = otherCalls[callCount % 6];
      return otherCall ? countStatus(answers.others, otherCall()) : upload();
    };
    const search = () => call('GET', '/gateway/messages?search=nothing%20like%20it');
    // Use up the requests of the minute first.
    const burstStartedAt = performance.now();
    const callUntilLimit = async () => {
      while (callCount < MAX_REQUESTS_PER_MINUTE) await callNext();
    };
    await Promise.all(Array.from({ length: BURST_CONCURRENCY }, callUntilLimit));
    log(`${MAX_REQUESTS_PER_MINUTE} calls took ${Math.round(performance.now() - burstStartedAt)} ms`);

    const slowdown = await measureSlowdown(context, MAX_SLOWDOWN, () => {
      const calls: Promise<unknown>[] = Array.from({ length: searches }, () =>
        countStatus(answers.searches, search()),
      );
      const timer = setInterval(() => {
        if (pendingCalls >= MAX_PENDING_CALLS) return;
        pendingCalls += 1;
        calls.push(callNext().finally(() => (pendingCalls -= 1)));
      }, 1_000 / CALLS_PER_SECOND);
      return Promise.resolve({
        stop: async () => {
          clearInterval(timer);
          await Promise.all(calls);
        },
      });
    });

    const stored = await records.messages.countDocuments({ user });
    const after = await readCollectionSizes(records.database);
    const grownCollections = [...after].filter(([name, size]) => size.count > (before.get(name)?.count ?? 0));
    const bytes = grownCollections.reduce(
      (sum, [name, size]) => sum + size.bytes - (before.get(name)?.bytes ?? 0),
      0,
    );
    const unexpectedStatuses = Object.keys({ ...answers.uploads, ...answers.searches }).filter(
      (status) => !['200', '429'].includes(status),
    );
    return [
      {
        attack: 'runaway-phone',
        cost: `${callCount} uploads, reports and heartbeats at ${CALLS_PER_SECOND}/s, ${searches} concurrent searches, responses ${JSON.stringify(answers)}`,
        effect: `${stored} messages stored, ${(bytes / 1_000).toFixed(0)} kB in ${grownCollections.map(([name]) => name).join(', ')}; ${slowdown.text}`,
        bound: `${MAX_STORED} messages, ${MAX_STORED_BYTES / 1_000} kB; 429 with Retry-After above; ${formatBound(MAX_SLOWDOWN)}`,
        passed:
          slowdown.isWithinBound &&
          stored === MAX_STORED &&
          stored === answers.uploads['200'] &&
          bytes <= MAX_STORED_BYTES &&
          (answers.uploads['429'] ?? 0) > 0 &&
          (answers.searches['429'] ?? 0) > 0 &&
          withoutRetryAfter.length === 0 &&
          unexpectedStatuses.length === 0,
      },
    ];
  },
};

interface Size {
  readonly count: number;
  readonly bytes: number;
}

/** The number of documents and bytes of each collection. */
async function readCollectionSizes(database: mongo.Db): Promise<Map<string, Size>> {
  const sizes = new Map<string, Size>();
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
    const [size] = await database
      .collection(name)
      .aggregate<Size>([
        { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
      ])
      .toArray();
    sizes.set(name, size ?? { count: 0, bytes: 0 });
  }
  return sizes;
}
