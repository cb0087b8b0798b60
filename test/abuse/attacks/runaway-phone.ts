import type { mongo } from 'mongoose';
import { makeTenant } from '../../../bench/tenant';
import type { Attack, AttackStage, Finding } from '../attack';
import { type Answers, callApi, countAnswer } from '../call';
import { measureSlowdown, slowdownBound } from '../windows';

const CALLS_PER_SECOND = 200;
const MAX_STORED = 200;
const MAX_REQUESTS_PER_MINUTE = 600;
const MAX_SEARCHES = 5;

/** Calls that are begun and not answered; more are not begun. */
const MAX_OPEN = 100;
const BURST_CALLERS = 20;
const SEARCHES_AT_ONCE = 50;
const MAX_SLOWDOWN = 3;

/** The longest text that is stored whole, in bytes, and the fields beside it. */
const TEXT = 'x'.repeat(9_900);
const MAX_STORED_BYTES = MAX_STORED * 12_000;

/** One customer's phone uploads, reports and beats without end, and one customer's program searches without end. */
export const runawayPhone: Attack = {
  name: 'runaway-phone',
  roles: ['api'],
  environment: {
    MAX_PHONE_REQUESTS_PER_MINUTE: String(MAX_REQUESTS_PER_MINUTE),
    MAX_RECEIVED_MESSAGES_PER_PHONE_DAY: String(MAX_STORED),
    MAX_SEARCHES_PER_ACCOUNT: String(MAX_SEARCHES),
  },
  async run(stage: AttackStage): Promise<Finding[]> {
    const { records, apiUrl, say } = stage;
    const { user, devices, apiKey } = await makeTenant(records, 'runaway', 1);
    const device = `/gateway/devices/${String(devices[0])}`;
    const answers = { uploads: {} as Answers, others: {} as Answers, searches: {} as Answers };
    const withoutRetry: number[] = [];
    const before = await sizesOf(records.database);
    let [made, open] = [0, 0];
    const call = (method: string, path: string, body?: object) => callApi(apiUrl, apiKey, method, path, body);
    const upload = async () => {
      const body = { sender: '+4915112345678', message: `${made} ${TEXT}` };
      const answer = await countAnswer(answers.uploads, call('POST', `${device}/receive-sms`, body));
      // The app drops what was answered 2xx, and uploads everything else again.
      if (answer.status !== 200 && !(Number(answer.headers.get('retry-after')) > 0))
        withoutRetry.push(answer.status);
    };
    const others = [
      () => call('POST', `${device}/heartbeat`, { batteryPercentage: made % 100 }),
      () => call('POST', `${device}/messages/ack`, { smsIds: [made.toString(16).padStart(24, '0')] }),
      () =>
        call('PATCH', `${device}/sms-status`, {
          smsId: made.toString(16).padStart(24, '0'),
          smsBatchId: '0'.repeat(24),
          status: 'SENT',
        }),
    ];
    const next = () => {
      made += 1;
      const other = others[made % 6];
      return other ? countAnswer(answers.others, other()) : upload();
    };
    const search = () => call('GET', '/gateway/messages?search=nothing%20like%20it');
    // What a phone may do in a minute it may do at once: what is measured comes after that.
    const burstAt = performance.now();
    const upToTheLimit = async () => {
      while (made < MAX_REQUESTS_PER_MINUTE) await next();
    };
    await Promise.all(Array.from({ length: BURST_CALLERS }, upToTheLimit));
    say(`${MAX_REQUESTS_PER_MINUTE} calls took ${Math.round(performance.now() - burstAt)} ms`);

    const slowdown = await measureSlowdown(stage, MAX_SLOWDOWN, () => {
      const calls: Promise<unknown>[] = Array.from({ length: SEARCHES_AT_ONCE }, () =>
        countAnswer(answers.searches, search()),
      );
      const timer = setInterval(() => {
        if (open >= MAX_OPEN) return;
        open += 1;
        calls.push(next().finally(() => (open -= 1)));
      }, 1_000 / CALLS_PER_SECOND);
      return Promise.resolve({
        end: async () => {
          clearInterval(timer);
          await Promise.all(calls);
        },
      });
    });

    const stored = await records.messages.countDocuments({ user });
    const after = await sizesOf(records.database);
    const grown = [...after].filter(([name, size]) => size.count > (before.get(name)?.count ?? 0));
    const bytes = grown.reduce((sum, [name, size]) => sum + size.bytes - (before.get(name)?.bytes ?? 0), 0);
    const strange = Object.keys({ ...answers.uploads, ...answers.searches }).filter(
      (status) => !['200', '429'].includes(status),
    );
    return [
      {
        attack: 'runaway-phone',
        cost: `${made} uploads, reports and heartbeats at ${CALLS_PER_SECOND}/s, ${SEARCHES_AT_ONCE} searches at once, answered ${JSON.stringify(answers)}`,
        effect: `${stored} messages stored, ${(bytes / 1_000).toFixed(0)} kB in ${grown.map(([name]) => name).join(', ')}; ${slowdown.text}`,
        bound: `${MAX_STORED} messages, ${MAX_STORED_BYTES / 1_000} kB; 429 with Retry-After beyond; ${slowdownBound(MAX_SLOWDOWN)}`,
        isHeld:
          slowdown.isHeld &&
          stored === MAX_STORED &&
          stored === answers.uploads['200'] &&
          bytes <= MAX_STORED_BYTES &&
          (answers.uploads['429'] ?? 0) > 0 &&
          (answers.searches['429'] ?? 0) > 0 &&
          withoutRetry.length === 0 &&
          strange.length === 0,
      },
    ];
  },
};

interface Size {
  readonly count: number;
  readonly bytes: number;
}

/** The documents of each collection and their bytes. */
async function sizesOf(database: mongo.Db): Promise<Map<string, Size>> {
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
