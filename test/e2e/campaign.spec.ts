import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualPhone } from 'messaging-gateway-phone';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const ROOT = join(__dirname, '..', '..');
const TEXT = 'Hi {name}, see you at {time}';

/**
 * What happens to a send request: it is forwarded; the sender is killed or disconnected before or after that; or a proxy
 * responds with an error.
 */
type Interruption = 'passed' | 'dies before' | 'dies after' | 'cut before' | 'cut after' | 'no service';

/** The result of `npm run send`. */
interface SendResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly error: string;
}

describe('npm run send', () => {
  let service: TestService;
  let client: TestClient;
  let phone: VirtualPhone;
  let proxy: Server;
  let folder: string;
  let file: string;
  let running: ChildProcess;
  let output: string;
  let error: string;
  /** What happens to the next sends; by default they are forwarded. */
  let interruptions: Interruption[];
  let sends: number;

  beforeAll(async () => {
    service = await TestService.start();
    proxy = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void forward(request, Buffer.concat(chunks)).then(async (answer) => {
          if (answer === undefined) {
            request.socket.destroy();
            return;
          }
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(await answer.text());
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    client = await service.newAccount();
    phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    folder = mkdtempSync(join(tmpdir(), 'campaign-'));
    file = join(folder, 'contacts.csv');
    interruptions = [];
    sends = 0;
  });
  afterEach(async () => {
    await phone.stop();
    rmSync(folder, { recursive: true });
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await service.stop();
  });

  async function forward(
    { url: path = '', method, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<Response | undefined> {
    const isSend = path.endsWith('/send-bulk-sms');
    const interruption = (isSend ? interruptions.shift() : undefined) ?? 'passed';
    if (isSend) sends += 1;
    if (interruption === 'dies before') running.kill('SIGKILL');
    if (interruption === 'dies before' || interruption === 'cut before') return undefined;
    if (interruption === 'no service') return new Response('<h1>Bad gateway</h1>', { status: 502 });
    const kept = ['x-api-key', 'content-type', 'idempotency-key'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: kept,
      ...(body.length > 0 && { body }),
    });
    if (interruption === 'dies after') running.kill('SIGKILL');
    return interruption === 'passed' ? answer : undefined;
  }

  const send = (...args: string[]) => run('--csv', file, ...args);

  function run(...args: string[]): Promise<SendResult> {
    const program = ['--import', 'tsx', 'tools/send.ts', ...args];
    const { PATH, HOME } = process.env;
    const MGW_URL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    running = spawn(process.execPath, program, {
      cwd: ROOT,
      env: { PATH, HOME, MGW_URL, API_KEY: client.apiKey },
    });
    [output, error] = ['', ''];
    running.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    running.stderr?.on('data', (chunk: Buffer) => (error += chunk.toString()));
    return new Promise((resolve) =>
      running.once('close', (code, signal) => {
        resolve({ code, signal, output, error });
      }),
    );
  }

  /** Writes a contact file with distinct numbers and times. */
  function write(count: number): string[] {
    const contacts = Array.from({ length: count }, (_, number) => [
      `+4479${String(number).padStart(8, '0')}`,
      `Person ${number}`,
      `${number} o'clock`,
    ]);
    writeFileSync(file, ['phone,name,time', ...contacts.map((person) => person.join(','))].join('\n'));
    return contacts.map(([number = '', name = '', time = '']) => `${number}: Hi ${name}, see you at ${time}`);
  }

  const summaryOf = ({ output }: SendResult) => output.split('\n')[0];
  const batchesOf = ({ output }: SendResult) =>
    Array.from(output.matchAll(/^batch (\w+): /gm), ([, id]) => id);

  /** Waits until the phone has sent this many messages. */
  async function onAir(count: number): Promise<string[]> {
    await phone.until('onAir', count);
    await phone.untilIdle();
    return phone.airLog.map(({ recipient, text }) => `${recipient}: ${text}`).sort();
  }

  const stored = () => service.collection('messages').countDocuments({ user: client.user });

  it('sends each contact its own text once, even if it is killed repeatedly', async () => {
    const texts = write(120);
    const deaths: Interruption[][] = [
      ['dies before'],
      ['dies after'],
      ['passed', 'passed', 'passed', 'dies before'],
      ['passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'dies after'],
      ['passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'dies after'],
    ];
    for (const death of deaths) {
      interruptions = [...death];
      expect(await send('--message', TEXT, '--batch-size', '10')).toMatchObject({ signal: 'SIGKILL' });
    }
    expect(await stored()).toBe(8 * 10);
    const ended = await send('--message', TEXT, '--batch-size', '10');
    expect([ended.code, summaryOf(ended)]).toEqual([
      0,
      '120 messages are queued in 12 batches; 80 of them by an earlier run',
    ]);
    expect(batchesOf(ended)).toHaveLength(12);
    expect(await onAir(120)).toEqual(texts.sort());
  });

  it('sends nothing when it is run again, unless forced', async () => {
    write(3);
    expect(summaryOf(await send('--message', TEXT))).toBe('3 messages are queued in 1 batch');
    const again = await send('--message', TEXT);
    expect(again.code).toBe(0);
    expect(again.output).toContain('3 of them by an earlier run\nThis run queued nothing.');
    expect(await stored()).toBe(3);
    const named = await send('--message', TEXT, '--campaign', 'the second time');
    expect(summaryOf(named)).toBe('3 messages are queued in 1 batch');
    const urgent = await send('--message', TEXT, '--campaign', 'the second time', '--urgent');
    expect(urgent.error).toContain('started with another --batch-size, --device, --at or --urgent');
    expect(await onAir(6)).toHaveLength(6);
  });

  it('refuses to continue with a different campaign', async () => {
    write(60);
    interruptions = ['passed', 'dies before'];
    await send('--message', TEXT, '--batch-size', '25');
    const other = await send('--message', TEXT, '--batch-size', '30');
    expect(other.code).toBe(1);
    expect(other.error).toContain('started with another --batch-size, --device, --at or --urgent');
    expect(await stored()).toBe(25);
  });

  it('sends before other messages with --urgent', async () => {
    write(2);
    expect((await send('--message', TEXT, '--urgent')).code).toBe(0);
    const priorities = await service.collection('messages').distinct('priority', { user: client.user });
    expect(priorities).toEqual(['urgent']);
  });

  it('reports invalid lines before it sends anything', async () => {
    writeFileSync(file, 'phone;name\n+491511;Ada\nnobody;Bob\n+491512;Cleo\n');
    const refused = await send('--message', 'Hi {name}');
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.error).toContain(
      'line 3: phone "nobody" is not a phone number: 3 to 15 digits, with or without a leading +\n',
    );
    expect(refused.error).toContain('nothing was sent, because of 1 invalid line');
    expect(sends).toBe(0);
    const shown = await send('--message', 'Hi {name}', '--skip-invalid', '--dry-run');
    expect(shown.output).toBe('2 messages, first to +491511: Hi Ada\n');
    expect(sends).toBe(0);
    const skipped = await send('--message', 'Hi {name}', '--skip-invalid');
    expect(skipped.output).toContain('2 messages are queued in 1 batch; 1 invalid line skipped');
    expect(await onAir(2)).toEqual(['+491511: Hi Ada', '+491512: Hi Cleo']);
  });

  it('waits at the plan limit and, if stopped, continues the next day', async () => {
    await service.collection('plans').insertOne({
      _id: 'small' as never,
      displayName: 'Small',
      dailyLimit: 40,
      monthlyLimit: -1,
      bulkSendLimit: 25,
    });
    await service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan: 'small' } });
    service.clock.advance(10_000); // until the cached plan expires
    const texts = write(60);
    const tooMany = await send('--message', TEXT);
    expect(tooMany).toMatchObject({ code: 1 });
    expect(tooMany.error).toContain(
      'allows 25 recipients a send, and this one has 60: use a smaller --batch-size',
    );

    const stopped = send('--message', TEXT, '--batch-size', '20');
    await eventually(
      () => error,
      (text) => text.includes('40 of 60 messages queued, waiting until '),
    );
    expect(error).toContain('The plan allows 40 messages a day; 0 are left today');
    running.kill('SIGINT');
    const halted = await stopped;
    expect(halted.code).toBe(130);
    expect(batchesOf(halted)).toHaveLength(2);
    expect(error).toContain('stopped; to continue, run the same command again\n');

    service.clock.advance(86_400_000);
    const ended = await send('--message', TEXT, '--batch-size', '20');
    expect([ended.code, summaryOf(ended)]).toEqual([
      0,
      '60 messages are queued in 3 batches; 40 of them by an earlier run',
    ]);
    expect(batchesOf(ended).slice(0, 2)).toEqual(batchesOf(halted));
    expect(await onAir(60)).toEqual(texts.sort());
  });

  it('continues after an outage of the service and after lost responses', async () => {
    const texts = write(60);
    interruptions = ['passed', 'no service', 'cut before', 'cut after'];
    const ended = await send('--message', TEXT, '--batch-size', '20');
    expect([ended.code, summaryOf(ended)]).toEqual([0, '60 messages are queued in 3 batches']);
    expect(ended.error).toContain('20 of 60 messages queued, waiting until ');
    expect(sends).toBe(6);
    expect(await onAir(60)).toEqual(texts.sort());
  });

  it('is sent at a time in a time zone and can be cancelled with the printed command', async () => {
    write(30);
    const [date = ''] = new Date(service.clock.now().getTime() + 7 * 86_400_000).toISOString().split('T');
    const at = ['--at', `${date} 09:30`, '--zone', 'Asia/Kathmandu'];
    const dry = await send('--message', TEXT, ...at, '--dry-run');
    expect(dry.output).toContain(`at ${date}T03:45:00.000Z: Hi Person 0`);
    const ended = await send('--message', TEXT, '--batch-size', '20', ...at);
    expect(summaryOf(ended)).toContain('30 messages are queued in 2 batches');
    const due = await service.collection('messages').distinct('dispatchDueAt', { user: client.user });
    expect(due).toEqual([new Date(`${date}T03:45:00Z`)]);

    const [, command = ''] = /^To cancel .*: npm run send -- (.*)$/m.exec(ended.output) ?? [];
    const cancelled = await run(...command.split(' '));
    const batches = batchesOf(ended);
    expect([cancelled.code, cancelled.output]).toEqual([
      0,
      `batch ${batches[0] ?? ''}: 20 messages cancelled\nbatch ${batches[1] ?? ''}: 10 messages cancelled\n`,
    ]);
    const states = await service.collection('messages').distinct('status', { user: client.user });
    expect(states).toEqual(['failed']);
  });

  it.each([
    [['--message', 'Hi {name}'], 'there is no column name; the columns are phone'],
    [['--message', 'Hi {phone'], '--message: braces'],
    [['--message', ''], '--message is missing'],
    [['--message', 'Hi', '--batch-size', '201'], '--batch-size must be a whole number from 1 to 200'],
    [['--message', 'Hi', '--csv', '/nowhere.csv'], "no such file or directory, stat '/nowhere.csv'"],
    [['--message', 'Hi', '--url', 'http://127.0.0.1:4'], 'no response from http://127.0.0.1:4'],
    [['--message', 'Hi', '--api-key', 'mgw_wrong'], 'Unauthorized'],
    [
      ['--message', 'Hi', '--at', '2027-03-28 02:30', '--zone', 'Europe/Berlin'],
      'does not exist in Europe/Berlin',
    ],
    [
      ['--message', 'Hi', '--at', '2026-10-25 02:30', '--zone', 'Europe/Berlin'],
      'exists twice in Europe/Berlin',
    ],
    [['--message', 'Hi', '--at', '2020-01-01T00:00Z'], 'send: --at: scheduledAt must be'],
    [['--message', 'Hi', '--zone', 'UTC'], '--zone needs --at'],
    [['--message', 'Hi', '--cancel', 'x'], '--cancel cannot be combined'],
    [['--message', 'Hi', '--device', 'kitchen'], 'deviceId is not a valid id'],
  ])('%j fails with one line that gives the reason', async (args, reason) => {
    writeFileSync(file, 'phone\n+491511\n');
    const ended = await send(...args);
    expect(ended).toMatchObject({ code: 1, output: '' });
    const [last = ''] = ended.error.trim().split('\n').slice(-1);
    expect(last).toMatch(/^send: /);
    expect(last).toContain(reason);
    expect(await stored()).toBe(0);
  });
});
