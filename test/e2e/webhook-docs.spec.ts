import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { WebhooksConfig } from '../../src/config/sections/webhooks.config';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../src/webhooks/deliveries/retry-schedule';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import { raiseSimUnhealthy } from '../support/raise-sim-unhealthy';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { isInstalled, runProgram } from '../support/program';
import { TestService } from '../support/service';
import { withTemporaryFolder, runVerifier, type SignedCase, VERIFIERS } from '../support/verifiers';
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver';

const TOO_LONG_AGO_MS = 5 * 60_000 + 5_000;
const ALL = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'UNKNOWN_STATE',
  'MESSAGE_UNCONFIRMED',
  'DEVICE_OFFLINE',
  'DEVICE_ONLINE',
  'SIM_UNHEALTHY',
  'SIM_LIMIT_REACHED',
];
const UNCONFIRMED_AFTER_MS = 25 * 3_600_000;

type Expectation = readonly [name: string, isValid: boolean, given: SignedCase];

const document = MarkdownPage.read('use/webhooks.md');

describe('docs/use/webhooks.md', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  async function subscribe(signingSecret: string, deliveryUrl = receiver.url): Promise<string> {
    const made = await client.post('/webhooks', { deliveryUrl, signingSecret, events: ALL }).expect(201);
    return (made.body as { data: { _id: string } }).data._id;
  }

  async function sendOne(message = 'Your code is 1234'): Promise<string> {
    const { messages } = await client.batch(device, await client.send(['+447700900123'], { message }));
    const id = messages[0]?._id ?? '';
    await eventually(
      () => client.message(device, id),
      ({ status }) => status === 'dispatched',
    );
    return id;
  }

  const received = (count: number) =>
    eventually(
      () => receiver.received,
      (all) => all.length >= count,
    );

  /** Runs the schedulers until an event was posted. */
  const raised = (event: string) =>
    eventually(
      async () => {
        await service.get(PhonesScheduler).checkConnections();
        await service.get(OperationalEventsScheduler).sweep();
        return receiver.received.map(({ event: { webhookEvent } }) => webhookEvent);
      },
      (events) => events.includes(event),
    );

  describe('the verification example, with real requests of the service', () => {
    let expectations: Expectation[];

    /** A sample that is signed at the given time. */
    async function sampleAt(webhook: string, awayMs: number): Promise<ReceivedRequest> {
      service.clock.advance(awayMs);
      await client.post(`/webhooks/${webhook}/test`).expect(200);
      service.clock.advance(-awayMs);
      const sample = receiver.received.at(-1);
      if (!sample) throw new Error('No sample came');
      return sample;
    }

    beforeEach(async () => {
      const replaced = 'a secret that is replaced by another';
      const secrets = [
        'a plain secret of 20 characters and more',
        'ünïcödé 🔑 secret of many characters',
        `whsec_${randomBytes(24).toString('base64')}`,
        `whsec_${randomBytes(32).toString('base64')}`,
        `whsec_${randomBytes(32).toString('base64').replace('=', '')}`,
      ];
      const byWebhook = new Map<unknown, string>();
      for (const secret of secrets) byWebhook.set(await subscribe(secret), secret);
      const changed = await subscribe(replaced);
      const successor = 'the secret that has replaced another';
      await client.patch(`/webhooks/${changed}`, { signingSecret: successor }).expect(200);
      byWebhook.set(changed, successor);

      await client.report(device, await sendOne('Grüße 👋 "¡hola!" \\ 日本'), 'SENT').expect(200);
      const deliveries = [...(await received(byWebhook.size))];
      expectations = deliveries.flatMap((delivery) => {
        const secret = byWebhook.get(delivery.event.webhookSubscriptionId) ?? '';
        return expectationsOf(delivery, secret);
      });
      const ofChanged = deliveries.find(({ event }) => event.webhookSubscriptionId === changed);
      if (!ofChanged) throw new Error('Not every subscription was delivered to');
      expectations.push(
        ['X-Signature does not use the previous secret', false, signedCase(ofChanged, replaced)],
        ['webhook-signature includes the previous secret', true, standardCase(ofChanged, replaced)],
      );
      const old = await sampleAt(changed, -TOO_LONG_AGO_MS);
      // Still too early when a slow machine verifies it.
      const early = await sampleAt(changed, 2 * TOO_LONG_AGO_MS);
      expectations.push(
        ['X-Signature does not expire', true, signedCase(old, successor)],
        ['too old', false, standardCase(old, successor)],
        ['from the future', false, standardCase(early, successor)],
      );
    });

    for (const verifier of VERIFIERS) {
      const { language, program, versionArgument, minimumVersion, file } = verifier;
      if (isInstalled(program, versionArgument, minimumVersion)) {
        it(
          language,
          async () => {
            const cases = expectations.map(([, , given]) => given);
            const verdicts = await runVerifier(verifier, document.codeFile(file), cases);
            expect(expectations.map(([name], index) => [name, verdicts[index]])).toEqual(
              expectations.map(([name, isValid]) => [name, isValid]),
            );
          },
          180_000,
        );
      } else {
        it.skip(`${language}: skipped, there is no ${program} ${minimumVersion.join('.')} or later on the PATH`, () =>
          undefined);
      }
    }
  });

  it('shows an example of each event that matches what the service sends', async () => {
    await subscribe('a secret of 20 characters and more');
    await client.patch(`/gateway/devices/${device}`, { name: 'Front desk' }).expect(200);
    await client.post(`/gateway/devices/${device}/heartbeat`).expect(200);
    const [delivered, failed, unknown] = [await sendOne(), await sendOne(), await sendOne()];
    await client
      .post(`/gateway/devices/${device}/receive-sms`, { sender: '+447700900123', message: 'Yes, please' })
      .expect(200);
    await client.report(device, delivered, 'SENT').expect(200);
    await client.report(device, delivered, 'DELIVERED').expect(200);
    await client
      .report(device, failed, 'FAILED', { errorCode: '4', errorMessage: 'RESULT_ERROR_NO_SERVICE' })
      .expect(200);
    await client.report(device, unknown, 'DELIVERY_FAILED', { errorCode: '64' }).expect(200);
    await received(5);
    await sendOne();
    client.closeStream(device);
    await eventually(
      () => service.collection('devices').countDocuments({ 'stream.closedAt': { $exists: true } }),
      (closed) => closed > 0,
    );
    service.clock.advance(UNCONFIRMED_AFTER_MS);
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    await raised('MESSAGE_UNCONFIRMED');
    await raised('DEVICE_OFFLINE');
    await RawStream.open(client, device);
    await client.post(`/gateway/devices/${device}/heartbeat`).expect(200);
    await raised('DEVICE_ONLINE');
    const sims = (await client.get('/gateway/sims').expect(200)).body as { data: { _id: string }[] };
    const sim = sims.data[0]?._id ?? 'missing';
    const settings = { label: 'Work', phoneNumber: '+447700900124', limits: { messagesPerDay: 1 } };
    await client.patch(`/gateway/sims/${sim}`, settings).expect(200);
    await raiseSimUnhealthy(service, sim);
    await raised('SIM_UNHEALTHY');
    await client.send(['+447700900123', '+447700900125']);
    await raised('SIM_LIMIT_REACHED');
    // Messages of other tests are unconfirmed by now, too.
    const own = receiver.received.filter(({ event }) => event.deviceId === device);
    const bodies = own.map(({ body }) => body);
    service.clock.advance(-UNCONFIRMED_AFTER_MS);
    const examples = document
      .codeBlocks('json')
      .map((text) => JSON.stringify(JSON.parse(text)))
      .filter((example) => example.includes('"webhookEvent"'));
    expect(examples.map(withoutInstance).sort()).toEqual(bodies.map(withoutInstance).sort());
  });

  const hasCurl = isInstalled('curl', '--version', [7, 0]);
  const skipped = hasCurl ? '' : ': skipped, there is no curl on the PATH';
  (hasCurl ? it : it.skip)(`every curl command is answered with data${skipped}`, async () => {
    await subscribe('a secret of 20 characters and more');
    await client.report(device, await sendOne(), 'SENT').expect(200);
    const [delivery] = await received(1);
    const environment: Record<string, string> = {
      GATEWAY: `${service.url}/api/v1`,
      API_KEY: client.apiKey,
      WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
    };
    const run = async (command: string) => {
      const here = command.replace('https://example.com/hooks/sms', receiver.url);
      const { code, output } = await runProgram('sh', ['-c', here], { environment });
      expect([command, code]).toEqual([command, 0]);
      return output;
    };
    const answers: object[] = [];
    for (const block of document.codeBlocks('bash')) {
      // This command extracts an id for the commands below.
      const taken = /^export (WEBHOOK|DELIVERY)=/.exec(block)?.[1];
      if (taken) environment[taken] = await run(`${block}printf %s "$${taken}"`);
      if (!/^curl/m.test(block)) continue;
      const answer = JSON.parse(await run(block)) as object;
      expect([block, answer]).toEqual([block, { data: expect.anything() as object }]);
      answers.push(answer);
    }
    expect(answers.length).toBeGreaterThan(6);
    const [made] = answers as { data: { _id: string; deliveryUrl: string; signingSecret: string } }[];
    expect(environment).toMatchObject({ WEBHOOK: made?.data._id, DELIVERY: delivery?.event.idempotencyKey });
    const [example = ''] = document.codeBlocks('json');
    const shown = JSON.parse(example) as typeof made;
    const { deliveryUrl, signingSecret } = shown?.data ?? {};
    expect(withoutInstance(JSON.stringify(shown))).toBe(
      withoutInstance(JSON.stringify({ data: { ...made?.data, deliveryUrl, signingSecret } })),
    );
  });

  describe('the receiver example', () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    let endpoint: ChildProcess | undefined;
    afterEach(() => endpoint?.kill());

    it('accepts signed requests, processes each once, and rejects the rest', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const files = Object.fromEntries(
        ['verify.mjs', 'receiver.mjs'].map((name) => [name, document.codeFile(name)]),
      );
      await withTemporaryFolder(files, async (directory) => {
        const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
        endpoint = spawn(process.execPath, ['receiver.mjs'], { cwd: directory, env });
        let output = '';
        endpoint.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
        await eventually(
          () => fetch(url, { method: 'POST' }).then(({ status }) => status, String),
          (answer) => answer === 401,
        );
        await subscribe(secret, url);
        const foreign = await subscribe('another secret than the endpoint has', url);
        const refused = await client.post(`/webhooks/${foreign}/test`).expect(200);
        expect(refused.body).toMatchObject({ data: { delivered: false, httpStatusCode: 401 } });
        await client.delete(`/webhooks/${foreign}`).expect(200);

        await client.report(device, await sendOne(), 'SENT').expect(200);
        const attempts = (count: number) =>
          eventually(
            async () => (await client.get('/webhooks/notifications')).body as History,
            ({ data }) => data.data.some((delivery) => delivery.deliveryAttemptCount === count),
          );
        const [delivery] = (await attempts(1)).data.data;
        await client.post(`/webhooks/notifications/${delivery?._id ?? ''}/redeliver`).expect(200);
        expect((await attempts(2)).data.data).toMatchObject([
          { computedStatus: 'delivered', httpStatusCode: 204 },
        ]);
        expect(output.match(/idempotencyKey: .*/g)).toEqual([`idempotencyKey: '${delivery?._id ?? ''}',`]);
      });
    });
  });

  it('lists the attempts of the retry schedule', () => {
    const rows = document.table('Attempt');
    expect(rows.map(([attempt]) => Number(attempt))).toEqual(
      Array.from({ length: MAX_ATTEMPTS }, (_, made) => made + 1),
    );
    let at = new Date(0);
    rows.forEach(([, after = '', sinceFirst = ''], made) => {
      const next = nextAttemptAt(made, at, 0) ?? new Date(Number.NaN);
      expect(milliseconds(after)).toBe(next.getTime() - at.getTime());
      // The table rounds to minutes, so the first five seconds are missing.
      const unit = made < 2 ? 1_000 : 60_000;
      expect(milliseconds(sinceFirst)).toBe(Math.floor(next.getTime() / unit) * unit);
      at = next;
    });
  });

  it('documents all filters of the history and the default configuration', async () => {
    const described = await fetch(`${service.url}/docs-json`);
    const { paths } = (await described.json()) as {
      paths: Record<string, { get?: { parameters: { name: string }[] } }>;
    };
    const parameters = paths['/api/v1/webhooks/notifications']?.get?.parameters.map(({ name }) => name);
    const named = document.table('Filter').flatMap(([cell = '']) => cell.match(/\w+(?=`)/g) ?? []);
    expect(named.sort()).toEqual(parameters?.sort());
    const { maxSubscriptions, pauseAfterHours, pauseAfterFailures } = new WebhooksConfig();
    expect(document.text).toContain(`${maxSubscriptions} (\`WEBHOOK_MAX_SUBSCRIPTIONS\`)`);
    expect(document.text).toMatch(
      new RegExp(`${pauseAfterHours} hours.*\\s.*least\\s+${pauseAfterFailures} `),
    );
  });
});

interface History {
  data: { data: { _id: string; deliveryAttemptCount: number }[] };
}

/** The input to verify `X-Signature`. */
function signedCase(
  { headers, body }: ReceivedRequest,
  secret: string,
  changes: Partial<SignedCase> = {},
): SignedCase {
  return {
    body: Buffer.from(body).toString('base64'),
    secret,
    signature: String(headers['x-signature']),
    ...changes,
  };
}

/** The input to verify the Standard Webhooks headers. */
function standardCase(
  delivery: ReceivedRequest,
  secret: string,
  changes: Partial<SignedCase> = {},
): SignedCase {
  const { headers } = delivery;
  return signedCase(delivery, secret, {
    signature: String(headers['webhook-signature']),
    standard: { id: String(headers['webhook-id']), timestamp: String(headers['webhook-timestamp']) },
    ...changes,
  });
}

function expectationsOf(delivery: ReceivedRequest, secret: string): Expectation[] {
  const tampered = Buffer.from(delivery.body.replace('"sent"', '"Sent"')).toString('base64');
  const signed = (changes: Partial<SignedCase> = {}) => signedCase(delivery, secret, changes);
  const standard = (changes: Partial<SignedCase> = {}) => standardCase(delivery, secret, changes);
  const { signature: hex } = signed();
  const { signature: base64, standard: { id, timestamp } = { id: '', timestamp: '' } } = standard();
  const other = `${secret}A`;
  return [
    ['X-Signature', true, signed()],
    ['X-Signature in upper case', true, signed({ signature: hex.toUpperCase() })],
    ['X-Signature of another body', false, signed({ body: tampered })],
    ['X-Signature with another secret', false, signed({ secret: other })],
    ['no X-Signature', false, signed({ signature: '' })],
    ['a truncated X-Signature', false, signed({ signature: hex.slice(0, -2) })],
    ['X-Signature with extra characters', false, signed({ signature: `${hex}zz` })],
    ['X-Signature with invalid characters', false, signed({ signature: 'ü'.repeat(hex.length) })],
    ['webhook-signature', true, standard()],
    ['webhook-signature among others', true, standard({ signature: `v1,AAAA ${base64} v2,BBBB` })],
    ['webhook-signature of another body', false, standard({ body: tampered })],
    ['webhook-signature with another secret', false, standard({ secret: `whsec_${'A'.repeat(32)}` })],
    ['webhook-signature of another id', false, standard({ standard: { id: `${id}0`, timestamp } })],
    [
      'webhook-signature of another timestamp',
      false,
      standard({ standard: { id, timestamp: String(Number(timestamp) + 1) } }),
    ],
    ['webhook-signature without a timestamp', false, standard({ standard: { id, timestamp: '' } })],
    [
      'webhook-signature with an unknown version',
      false,
      standard({ signature: base64.replaceAll('v1,', 'v1a,') }),
    ],
    ['webhook-signature without a version', false, standard({ signature: base64.replaceAll('v1,', '') })],
    ['no webhook-signature', false, standard({ signature: '' })],
    ['webhook-signature with invalid characters', false, standard({ signature: 'v1,ü' })],
  ];
}

/** Replaces the values that differ between runs. */
function withoutInstance(body: string): string {
  return body.replace(/"[\da-f]{24}"/g, '"id"').replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"');
}

const UNIT_MS = { s: 1_000, min: 60_000, h: 3_600_000 };

/** Parses a duration of the document, such as `2 h 35 min`. */
function milliseconds(span: string): number {
  const parts = Array.from(span.matchAll(/(\d+) (s|min|h)\b/g));
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
}
