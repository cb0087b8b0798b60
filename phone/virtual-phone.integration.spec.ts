import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualPhoneOptions } from './phone-options';
import { testCommand, FakeService } from './fake-service';
import { VirtualPhone } from './virtual-phone';

describe('VirtualPhone', () => {
  let service: FakeService;
  const phones: VirtualPhone[] = [];

  function phoneWith(options: Partial<VirtualPhoneOptions> = {}): VirtualPhone {
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: 'key',
      serial: 'serial-1',
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0.02,
      stream: { initialBackoffMs: 5, maxBackoffMs: 50 },
      ...options,
    });
    phones.push(phone);
    return phone;
  }

  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const statusesOf = (smsId: string): unknown[] =>
    service
      .bodies('/sms-status')
      .filter((body) => body.smsId === smsId)
      .map((body) => body.status);

  beforeEach(async () => {
    service = new FakeService();
    await service.listen();
  });
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await service.disconnect();
  });

  it('registers, tells its send delay before it streams, and sends what is offered', async () => {
    const phone = phoneWith({ sendDelaySeconds: 0.05 });
    await phone.start();
    expect(service.calls.map(({ path }) => path.replace('/api/v1/gateway/', ''))).toEqual([
      'devices',
      'devices/device-1/heartbeat',
      'devices/device-1/stream',
    ]);
    expect(service.calls[0]?.body).toMatchObject({
      pushTransport: 'stream',
      enabled: true,
      serial: 'serial-1',
    });
    expect(service.calls[1]?.body).toMatchObject({ smsSendDelaySeconds: 0.05, receiveSMSEnabled: true });

    service.offer(testCommand(1), testCommand(2));
    await phone.until('delivered', 2);
    await phone.untilIdle();
    expect(phone.airLog.map(({ smsId, recipient, text }) => [smsId, recipient, text])).toEqual([
      ['sms-1', '+447700900001', 'Text 1'],
      ['sms-2', '+447700900002', 'Text 2'],
    ]);
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
    expect(service.bodies('/messages/ack')).toEqual([{ smsIds: ['sms-1', 'sms-2'] }]);
    const [report] = service.bodies('/sms-status');
    expect(report).toMatchObject({ smsBatchId: 'batch-1', reportAttempt: 1 });
    for (const time of ['pushReceivedAtInMillis', 'sendAttemptedAtInMillis', 'sentAtInMillis']) {
      expect(Math.abs(Date.now() - Number(report?.[time]))).toBeLessThan(10_000);
    }
  });

  it('sends a message that is offered again only once, and accounts for it again', async () => {
    const phone = phoneWith();
    await phone.start();
    service.offer(testCommand(1), testCommand(1), testCommand(1));
    await phone.until('delivered', 1);
    await phone.untilIdle();
    service.offer(testCommand(1));
    await phone.until('delivered', 2);
    await phone.until('acknowledged', 2);
    expect(phone.counts).toMatchObject({ offered: 4, repeated: 3, onAir: 1 });
    expect(statusesOf('sms-1').at(-1)).toBe('DELIVERED');
  });

  it('loses nothing while the service is away', async () => {
    const phone = phoneWith({ deliveryDelaySeconds: 0.1 });
    await phone.start();
    service.offer(...numbers(1, 40).map(testCommand));
    await phone.until('onAir', 40);
    await service.disconnect();
    const received = phone.receiveSms('+447700900099', 'while away');
    await sleep(400);
    await service.listen();
    await phone.until('sent', 40);
    await phone.until('delivered', 40);
    await expect(received).resolves.toBe('taken');
    await phone.untilIdle();
    await phone.until('streamsOpened', 2);
    expect(phone.counts.onAir).toBe(40);
    for (const number of numbers(1, 40)) {
      // A report whose response was lost is sent twice.
      expect([...new Set(statusesOf(`sms-${number}`))]).toEqual(['SENT', 'DELIVERED']);
    }
  });

  it('reports failures in place of what did not happen', async () => {
    const phone = phoneWith({ failureRate: 1 });
    await phone.start();
    service.offer(testCommand(1));
    await phone.until('failed', 1);
    expect(statusesOf('sms-1')).toEqual(['FAILED']);
    expect(service.bodies('/sms-status')[0]).toMatchObject({ errorCode: '1' });
    expect(phone.airLog[0]?.fate).toBe('failed');
  });

  it('goes on after a restart with a ledger file where it died', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-'));
    const options = { ledger: { file: join(folder, 'ledger.jsonl') }, sendDelaySeconds: 0.2 };
    try {
      const before = phoneWith(options);
      await before.start();
      before.pauseReports();
      service.offer(testCommand(1), testCommand(2), testCommand(3));
      await before.until('onAir', 1);
      await before.until('acknowledged', 3);
      await before.stop();
      expect(statusesOf('sms-1')).toEqual([]);

      const after = phoneWith(options);
      await after.start();
      service.offer(testCommand(1));
      await after.until('onAir', 3 - before.airLog.length);
      await after.untilIdle();
      const sent = [...before.airLog, ...after.airLog].map(({ smsId }) => smsId).sort();
      expect(sent).toEqual(['sms-1', 'sms-2', 'sms-3']);
      expect(statusesOf('sms-1').slice(0, 2)).toEqual(['SENT', 'DELIVERED']);
    } finally {
      await Promise.all(phones.map((phone) => phone.stop()));
      rmSync(folder, { recursive: true });
    }
  });

  it('uploads what comes in with the fingerprint, and once more after a bad answer', async () => {
    let refusals = 2;
    service.statusFor = ({ path }) => (path.endsWith('/receive-sms') && refusals-- > 0 ? 500 : undefined);
    const phone = phoneWith();
    await phone.start();
    await expect(phone.receiveSms('Bank', 'Your code is 1234', 1_700_000_000_000)).resolves.toBe('taken');
    const fingerprint = createHash('md5').update('Bank|Your code is 1234|1700000000000').digest('hex');
    expect(service.bodies('/receive-sms')).toHaveLength(3);
    expect(service.bodies('/receive-sms')[0]).toMatchObject({ sender: 'Bank', fingerprint });
  });

  it('fetches what a heartbeat says is pending, and survives a service without that route', async () => {
    service.pending = [testCommand(1), { nonsense: true }];
    const phone = phoneWith();
    await phone.start();
    await phone.until('sent', 1);
    service.statusFor = ({ path }) => (path.endsWith('/pending') ? 404 : undefined);
    service.write('event: heartbeat_check\ndata: {}\n\n');
    await phone.until('heartbeats', 2);
    expect(phone.counts.onAir).toBe(1);
  });

  it('waits for a service that is not up yet, and gives up on one that refuses it', async () => {
    await service.disconnect();
    const phone = phoneWith();
    const waited: string[] = [];
    phone.on('waiting', (reason) => waited.push(reason));
    const started = phone.start();
    await sleep(50);
    await service.listen();
    await started;
    expect(waited.length).toBeGreaterThan(0);

    service.statusFor = () => 401;
    await expect(phoneWith().start()).rejects.toThrow('401');
    service.statusFor = ({ path }) => (path.endsWith('/stream') ? 404 : undefined);
    await expect(phoneWith().start()).rejects.toThrow('rejected the stream');
  });

  it('finishes what is on the air before it stops, and sends the rest when it is started again', async () => {
    const phone = phoneWith({ sendDelaySeconds: 0.3, deliveryDelaySeconds: 0.1 });
    await phone.start();
    service.offer(testCommand(1), testCommand(2));
    await phone.until('onAir', 1);
    await phone.stop({ finishWithinMs: 20_000 });
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
    expect(phone.counts.onAir).toBe(1);
    await phone.start();
    await phone.until('delivered', 2);
    expect(phone.airLog.map(({ smsId }) => smsId)).toEqual(['sms-1', 'sms-2']);
  });

  it('leaves no connection when it is stopped, also in the middle of starting', async () => {
    const phone = phoneWith();
    await phone.start();
    service.offer(...numbers(1, 20).map(testCommand));
    await phone.until('onAir', 5);
    await phone.stop();
    // A report in flight still arrives.
    await sleep(50);
    const calls = service.calls.length;
    await sleep(100);
    expect(service.connections).toBe(0);
    expect(service.calls.length).toBe(calls);
    expect(() => {
      phone.dropStream();
    }).toThrow('not running');

    await service.disconnect();
    const late = phoneWith();
    const started = late.start();
    await sleep(20);
    await late.stop();
    await expect(started).rejects.toThrow();
  });

  it('can be deaf to the stream, and hold its acknowledgements and reports back', async () => {
    const phone = phoneWith();
    await phone.start();
    phone.pauseAcks();
    phone.pauseReports();
    service.offer(testCommand(1));
    await phone.until('onAir', 1);
    await sleep(100);
    expect(service.bodies('/messages/ack')).toEqual([]);
    expect(service.bodies('/sms-status')).toEqual([]);
    phone.resumeAcks();
    phone.resumeReports();
    await phone.untilIdle();
    expect(phone.counts).toMatchObject({ acknowledged: 1, sent: 1, delivered: 1 });
    phone.dropStream();
    await sleep(50);
    expect(service.streams.size).toBe(0);
    phone.openStream();
    await phone.until('streamsOpened', 2);
    await expect(phone.until('failed', 1, 20)).rejects.toThrow('failed >= 1');
  });
});
