import { FakeService, testCommand } from '../fake-service';
import { MachinePhone } from '../machine-phone';
import type { SentLedgerOptions } from '../sent-ledger';
import { LocalServerStandIn } from './local-server-stand-in';
import { SmsGateDriver, type SmsGateOptions } from './smsgate-driver';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LONG_MS = 120_000;

describe('a phone by the local server of SMSGate', () => {
  let service: FakeService;
  let app: LocalServerStandIn;
  let folder: string;
  const phones: MachinePhone[] = [];

  function phoneWith(options: Partial<SmsGateOptions> = {}, ledger?: SentLedgerOptions): MachinePhone {
    const { url, user, password } = app;
    const phone = new MachinePhone(
      {
        baseUrl: service.url,
        apiKey: 'key',
        serial: 'smsgate-1',
        name: 'Kitchen phone',
        version: '1.0.0',
        ledger,
        retrySeconds: 0.02,
        radio: { tickMs: 20, graceMs: 100 },
        stream: { initialBackoffMs: 5, maxBackoffMs: 50 },
      },
      () =>
        new SmsGateDriver({ url, user, password, timeoutMs: 10_000, checkMs: 20, inboxMs: 20, ...options }),
    );
    phones.push(phone);
    return phone;
  }

  const radioChange = (phone: MachinePhone): Promise<string | undefined> =>
    new Promise((resolve) => phone.once('radio', resolve));
  const reportsOf = (smsId: string) => service.bodies('/sms-status').filter((body) => body.smsId === smsId);
  const statusesOf = (smsId: string) => reportsOf(smsId).map(({ status }) => status);

  beforeEach(async () => {
    service = new FakeService();
    app = new LocalServerStandIn();
    folder = mkdtempSync(join(tmpdir(), 'smsgate-'));
    await Promise.all([service.listen(), app.listen()]);
  });
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await Promise.all([service.disconnect(), app.leave()]);
    rmSync(folder, { recursive: true });
  });

  it('registers with the facts of the phone, and reads them also if its health fails', async () => {
    app.health = 'fail';
    await phoneWith().start();
    expect(service.calls[0]?.body).toMatchObject({
      pushTransport: 'stream',
      manufacturer: 'Google',
      model: 'oriole',
      os: 'Android',
      name: 'Kitchen phone',
      supportsEncryption: false,
      simInfo: {
        sims: [
          { subscriptionId: 1, simSlotIndex: 0, carrierName: 'One' },
          { subscriptionId: 2, simSlotIndex: 1, carrierName: 'Two' },
        ],
      },
    });
    expect(service.calls[1]?.body).toMatchObject({ batteryPercentage: 87, isCharging: true });
  });

  it('sends by the SIM that the message names, and reports sent, delivered and failed with the reason of the app', async () => {
    app.sendsAtOnce = false;
    const phone = phoneWith();
    await phone.start();
    service.offer(
      testCommand(1),
      { ...testCommand(2), simSubscriptionId: 2 },
      { ...testCommand(3), simSubscriptionId: 9 },
    );
    await phone.until('acknowledged', 3, LONG_MS);
    await phone.until('failed', 1, LONG_MS);
    expect(reportsOf('sms-3')).toMatchObject([{ status: 'FAILED', errorCode: 'SIM_NOT_FOUND' }]);
    app.change('sms-1', 'Sent');
    app.change('sms-2', 'Failed', 'Send result: RESULT_ERROR_NO_SERVICE');
    await phone.until('failed', 2, LONG_MS);
    await phone.until('sent', 1, LONG_MS);
    app.change('sms-1', 'Delivered');
    await phone.until('delivered', 1, LONG_MS);
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
    expect(app.message('sms-2')?.simNumber).toBe(2);
    expect(reportsOf('sms-2')).toMatchObject([
      {
        errorCode: 'RESULT_ERROR_NO_SERVICE',
        errorMessage: 'Send result: RESULT_ERROR_NO_SERVICE',
        simUsed: 2,
      },
    ]);
  });

  it.each(['answerLost', 'requestLost'] as const)('sends once if the %s', async (fault) => {
    app.faults = [fault, fault];
    const phone = phoneWith({ timeoutMs: 300 });
    await phone.start();
    service.offer(testCommand(1), testCommand(2));
    await phone.until('sent', 2, LONG_MS);
    expect([...app.aired].sort()).toEqual(['sms-1', 'sms-2']);
    const posts = app.calls.filter((call) => call === 'POST /messages').length;
    expect(posts).toBeGreaterThanOrEqual(fault === 'answerLost' ? 2 : 4);
  });

  it('looks up after a crash what the app has, and hands over again only what it has never got', async () => {
    app.sendsAtOnce = false;
    const ledger = { file: join(folder, 'ledger') };
    const phone = phoneWith({ timeoutMs: 300 }, ledger);
    await phone.start();
    app.faults = ['requestLost'];
    service.offer(testCommand(1));
    await phone.until('offered', 1, LONG_MS);
    service.offer(testCommand(2));
    await phone.until('acknowledged', 2, LONG_MS);
    while (app.message('sms-2') === undefined) await sleep(5);
    await phone.stop();
    const again = phoneWith({}, ledger);
    app.sendsAtOnce = true;
    app.change('sms-2', 'Sent');
    await again.start();
    await again.until('sent', 2, LONG_MS);
    expect([...app.aired].sort()).toEqual(['sms-1', 'sms-2']);
  });

  it('never sends again what an app whose data was cleared does not know any more', async () => {
    app.sendsAtOnce = false;
    const ledger = { file: join(folder, 'ledger') };
    const phone = phoneWith({}, ledger);
    await phone.start();
    service.offer(testCommand(1));
    await phone.until('acknowledged', 1, LONG_MS);
    while (app.message('sms-1') === undefined) await sleep(5);
    await phone.stop();
    app.forget();
    app.deviceId = 'another';
    const again = phoneWith({}, ledger);
    await again.start();
    await again.untilIdle(LONG_MS);
    expect(app.message('sms-1')).toBeUndefined();
    expect(statusesOf('sms-1')).toEqual([]);
  });

  it('cancels what waits in the app, and not what was sent', async () => {
    app.sendsAtOnce = false;
    const phone = phoneWith();
    await phone.start();
    service.offer(testCommand(1), testCommand(2));
    await phone.until('acknowledged', 2, LONG_MS);
    while (app.message('sms-2') === undefined) await sleep(5);
    app.change('sms-2', 'Sent');
    service.write('event: cancel\ndata: {"smsIds":["sms-1","sms-2"]}\n\n');
    await phone.until('cancelled', 1, LONG_MS);
    await phone.until('sent', 1, LONG_MS);
    expect(app.message('sms-1')?.state).toBe('Cancelled');
    expect(service.bodies('/messages/cancelled')).toEqual([{ smsIds: ['sms-1'] }]);
    expect(statusesOf('sms-2').every((status) => status === 'SENT')).toBe(true);
  });

  it('fails what is past its deadline, and sends a deadline that the app accepts', async () => {
    const phone = phoneWith();
    await phone.start();
    const validUntil = new Date(Date.now() + 3_600_000).toISOString();
    service.offer(
      { ...testCommand(1), validUntil: '2020-01-01T00:00:00.000Z' },
      { ...testCommand(2), validUntil },
    );
    await phone.until('failed', 1, LONG_MS);
    await phone.until('sent', 1, LONG_MS);
    expect(reportsOf('sms-1')).toMatchObject([{ errorCode: 'EXPIRED' }]);
    expect(app.aired).toEqual(['sms-2']);
  });

  it('uploads each received text once, also a late one and those from while it was off', async () => {
    const pairedAt = Date.now() - 7_200_000;
    app.receive('+447700900300', 'Before pairing', { ageMs: 86_000_000 });
    app.receive('+447700900301', 'While off', { isListed: false, ageMs: 60_000 });
    let until = 0;
    const phone = phoneWith({ pairedAt, onUploaded: (time) => (until = time) });
    await phone.start();
    await phone.until('received', 1, LONG_MS);
    app.receive('+447700900302', 'Live');
    app.receive('+447700900303', 'Late', { ageMs: 3_600_000 });
    await phone.until('received', 3, LONG_MS);
    const texts = () => service.bodies('/receive-sms').map(({ message }) => message);
    expect(texts().sort()).toEqual(['Late', 'Live', 'While off']);
    await phone.stop();
    app.receive('+447700900304', 'Meanwhile', { isListed: false });
    const again = phoneWith({ pairedAt, uploadedUntil: until });
    await again.start();
    await again.until('received', 4, LONG_MS);
    // The service knows them by their fingerprints.
    const prints = service.bodies('/receive-sms').map(({ fingerprint }) => fingerprint);
    expect(new Set(prints).size).toBe(4);
  });

  it('keeps a received text until the service has it', async () => {
    service.statusFor = ({ path }) => (path.endsWith('/receive-sms') ? 403 : undefined);
    const phone = phoneWith();
    await phone.start();
    app.receive('+447700900301', 'Hello');
    while (service.bodies('/receive-sms').length < 2) await sleep(5);
    expect(phone.counts).toMatchObject({ received: 0, refused: 0 });
    service.statusFor = () => undefined;
    await phone.until('received', 1, LONG_MS);
  });

  it('goes offline while the phone is away, and continues', async () => {
    const phone = phoneWith();
    await phone.start();
    const gone = radioChange(phone);
    await app.leave();
    expect(await gone).toContain('The phone does not answer');
    while (service.streams.size > 0) await sleep(5);
    const { heartbeats } = phone.counts;
    await phone.heartbeat();
    expect(phone.counts.heartbeats).toBe(heartbeats);
    const back = radioChange(phone);
    await app.listen();
    expect(await back).toBeUndefined();
    await phone.until('streamsOpened', 2, LONG_MS);
    service.offer(testCommand(1));
    await phone.until('sent', 1, LONG_MS);
    expect(app.aired).toEqual(['sms-1']);
  });

  it.each([
    ['a wrong password', 'wrong', 'The phone refuses user or password'],
    ['another server', undefined, 'This is not the local server of SMSGate'],
  ])('says what to do about %s, and does not register', async (_case, password, problem) => {
    const phone = phoneWith(password === undefined ? { url: service.url } : { password });
    const said = radioChange(phone);
    const started = phone.start().catch(() => undefined);
    expect(await said).toContain(problem);
    expect(service.bodies('/gateway/devices')).toEqual([]);
    await phone.stop();
    await started;
  });
});
