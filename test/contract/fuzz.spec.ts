import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import fc from 'fast-check';
import { PairingAttempts } from '../../src/pairing-codes/pairing-attempts.service';
import { AuthAttemptLimiter } from '../../src/auth/limits/auth-attempt-limiter.service';
import { TestClient } from '../support/client';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';
import { type Answer, ApiDocument } from './api-document';
import { NOBODY } from './contract-client';
import { type HostileRequest, type KnownIds, RequestGenerator } from './request-maker';

// A longer run: FUZZ_RUNS=5000. To repeat a run, set FUZZ_SEED and FUZZ_RUNS from the title.
const RUNS = Number(process.env.FUZZ_RUNS ?? 30);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

/** A response later than this does not come. */
const LIMIT_MS = 30_000;

const document = new ApiDocument(
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'openapi.json'), 'utf8')) as OpenAPIObject,
);
const maker = new RequestGenerator(document.json);
const ORDER = ['post', 'get', 'put', 'patch', 'delete'];
const operations = [...document.operations].sort(
  (one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method),
);

/** Those that list what there is; streams do not end, and files only grow. */
const lists = operations.filter(({ id, method, path }) => {
  const answer = method === 'get' && !path.includes('{') && document.responsesOf(id).get('200');
  return answer && 'application/json' in (answer.content ?? {});
});

/** Sends a request and reads the response; of a stream only the headers. */
function exchange(url: string, method: string, { path, headers, body }: HostileRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, {
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    call.on('error', reject);
    call.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ status, headers: {}, body: '' });
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.headers['content-disposition'] !== undefined) {
          resolve({ status, headers: {}, body: '' });
          return;
        }
        try {
          resolve({ status, headers: {}, body: JSON.parse(text) as unknown });
        } catch {
          reject(new Error(`${status} and no JSON: ${text.slice(0, 200)}`));
        }
      });
    });
    call.end(body);
  });
}

/** The violations in the response to a random request. */
function faultOf({ status, body }: Answer): string | undefined {
  if (status >= 500) return `status ${status}`;
  if (status < 400) return undefined;
  if (status === 401) {
    const { code } = body as { readonly code?: string };
    if (code === 'PAIRING_CODE_INVALID') return undefined;
    return JSON.stringify(body) === '{"error":"Unauthorized","code":"AUTH_INVALID"}'
      ? undefined
      : 'another 401';
  }
  const { error, message, code } = body as Record<string, unknown>;
  if (typeof error !== 'string' || error === '' || error !== message) return 'error and message differ';
  if (typeof code !== 'string' || !/^[A-Z][A-Z_]+$/.test(code)) return 'there is no code';
  return /\bat .*\.[jt]s\b|node_modules|Mongo|BSON/.test(error) ? 'it shows its insides' : undefined;
}

/** The distinct ids in a response, in order. */
function idsIn(body: unknown): string[] {
  const ids = [...JSON.stringify(body).matchAll(/"_id":"([\da-f]{24})"/g)].map(([, id = '']) => id);
  return [...new Set(ids)];
}

describe(`random requests (FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS})`, () => {
  let service: TestService;
  let client: TestClient;
  let ownKey: string;
  const tally = { all: 0, accepted: 0 };

  beforeAll(async () => {
    service = await TestService.start({
      lookup: new ScriptedLookup(), // nothing goes out
      environment: {
        APP_ROLES: 'api',
        ALLOW_REGISTRATION: 'true',
        RATE_LIMIT_PER_KEY: '0',
        RATE_LIMIT_PER_ADDRESS: '0',
        MAX_DEVICES_PER_ACCOUNT: '1000', // one for each operation
      },
    });
    client = await service.newAccount();
    [ownKey = ''] = idsIn((await client.get('/auth/api-keys')).body);
    // The limits of guesses would reject most requests.
    jest.spyOn(service.get(AuthAttemptLimiter), 'count').mockResolvedValue();
    jest
      .spyOn(service.get(PairingAttempts), 'begin')
      .mockResolvedValue({ succeeded: () => Promise.resolve() });
  });
  afterAll(() => service.stop());

  /** Creates one record of each kind, because requests may have deleted the earlier ones. @returns what a path can name. */
  async function whatThereIs(template: string): Promise<KnownIds> {
    await service
      .collection('accounts')
      .updateOne({ _id: client.user }, { $set: { emailVerifiedAt: new Date() } });
    const device = await client.newDevice();
    const batch = await client.send(['+4915112345678', '+4915112345679'], { deviceId: device });
    const sent = (await client.batch(device, batch)).messages.map(({ _id }) => _id);
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', message: device });
    await (await service.signIn(client)).post('/auth/api-keys', { name: 'Another' });
    const listed = new Map<string, string[]>();
    for (const { path } of lists.filter((list) => template.startsWith(`${list.path}/{`))) {
      const ids = idsIn((await client.get(path.replace('/api/v1', ''))).body);
      listed.set(path, [device, ...ids].filter((id) => ids.includes(id) && id !== ownKey).slice(0, 20));
    }
    return { listed, others: [device, ...sent, batch, NOBODY] };
  }

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s responds in time and in the documented format',
    async (_, operation) => {
      const requests = maker.requestsTo(operation, await whatThereIs(operation.path));
      await fc.assert(
        fc.asyncProperty(requests, async ({ path, headers, body }) => {
          const answer = await exchange(service.url, operation.method.toUpperCase(), {
            path,
            headers: { ...headers, 'x-api-key': client.apiKey },
            body,
          });
          tally.all++;
          if (answer.status < 400) tally.accepted++;
          const fault = faultOf(answer);
          if (fault) throw new Error(`${fault}: ${JSON.stringify(answer.body)}`);
        }),
        { seed: SEED, numRuns: RUNS },
      );
    },
    Math.max(600_000, RUNS * 300),
  );

  it('do not pollute prototypes', () => {
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are not all rejected', () => {
    expect(tally.accepted / tally.all).toBeGreaterThan(0.25);
  });
});
