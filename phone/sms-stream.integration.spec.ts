import { setTimeout as sleep } from 'node:timers/promises';
import { PhoneApi } from './phone-api';
import { SmsStream, type SmsStreamOptions } from './sms-stream';
import { testCommand, FakeService } from './fake-service';

describe('SmsStream', () => {
  const heard: string[] = [];
  let service: FakeService;
  let stream: SmsStream;

  function openStream(options: SmsStreamOptions): void {
    const api = new PhoneApi({ baseUrl: service.url, apiKey: 'key' });
    const fast = { initialBackoffMs: 5, maxBackoffMs: 20, ...options };
    stream = new SmsStream(() => api.openStream('device-1'), listener, fast);
    stream.open();
  }

  const listener = {
    opened: () => void heard.push('opened'),
    closed: (reason: string) => void heard.push(`closed: ${reason}`),
    refused: (status: number) => void heard.push(`refused: ${status}`),
    command: (command: { smsId: string; message: string }) =>
      void heard.push(`${command.smsId}: ${command.message}`),
    cancel: (smsIds: readonly string[]) => void heard.push(`cancel: ${smsIds.join()}`),
    heartbeatCheck: () => void heard.push('heartbeat check'),
    malformed: (data: string) => void heard.push(`malformed: ${data}`),
  };

  async function untilHeard(...expected: readonly string[]): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if (expected.every((line) => heard.includes(line))) return;
      await sleep(5);
    }
    expect(heard).toEqual(expect.arrayContaining([...expected]));
  }

  beforeEach(async () => {
    heard.length = 0;
    service = new FakeService();
    await service.listen();
  });
  afterEach(async () => {
    stream.drop();
    await service.disconnect();
  });

  it('reads commands cut anywhere, passes over comments, unknown events and what is no command', async () => {
    openStream({});
    await untilHeard('opened');
    const bytes = Buffer.from(
      `event: sms\r\ndata: ${JSON.stringify({ ...testCommand(1), message: 'Grüße 👋' })}\r\n\r\n`,
    );
    for (const byte of bytes) {
      service.write(Buffer.of(byte));
      await sleep(0);
    }
    service.write(': comment\n\nevent: later\ndata: {}\n\nevent: heartbeat_check\ndata: {}\n\n');
    service.write('event: sms\ndata: {"smsId":1}\n\nevent: sms\ndata: nonsense\n\n');
    await untilHeard('malformed: nonsense');
    expect(heard).toEqual([
      'opened',
      'sms-1: Grüße 👋',
      'heartbeat check',
      'malformed: {"smsId":1}',
      'malformed: nonsense',
    ]);
  });

  it('reconnects when a connection has been silent for too long', async () => {
    openStream({ idleTimeoutMs: 60 });
    // On a busy machine, an attempt to connect may take as long.
    const silent = 'closed: no data for 60 ms';
    const isReconnected = () => new RegExp(`opened,(${silent},)+opened`).test(heard.join());
    while (!isReconnected()) await sleep(5);
    expect(new Set(heard)).toEqual(new Set(['opened', silent]));
  });

  it('takes comments for a sign of life', async () => {
    openStream({ idleTimeoutMs: 3_000 });
    for (let beat = 0; beat < 8; beat += 1) {
      await sleep(500);
      service.write(': still here\n\n');
    }
    expect(heard).toEqual(['opened']);
  });

  it('comes back when the service does', async () => {
    openStream({});
    await untilHeard('opened');
    await service.disconnect();
    await sleep(40);
    heard.length = 0;
    await service.listen();
    await untilHeard('opened');
  });

  it('says that it was refused, and goes on asking', async () => {
    service.statusFor = () => 401;
    openStream({});
    await untilHeard('refused: 401');
    service.statusFor = () => undefined;
    await untilHeard('opened');
  });

  it('stays away once it is dropped, until it is opened again', async () => {
    openStream({});
    await untilHeard('opened');
    stream.drop();
    await sleep(60);
    expect(heard).toEqual(['opened', 'closed: dropped by the phone']);
    expect(service.streams.size).toBe(0);
    heard.length = 0;
    stream.open();
    await untilHeard('opened');
    expect(service.calls).toHaveLength(2);
  });
});
