import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installGammu } from '../../tools/install-gammu';
import { FakeService, testCommand } from '../fake-service';
import { MachinePhone } from '../machine-phone';
import { SentLedger } from '../sent-ledger';
import { DummyModem } from './dummy-modem';
import { ModemDriver } from './modem-driver';

const LONG_MS = 120_000;

/** By a real gammu-smsd with gammu's dummy driver. */
describe('a phone by a modem', () => {
  let service: FakeService;
  let modem: DummyModem;
  let folder: string;
  const phones: MachinePhone[] = [];

  function phoneWith(ledger?: string): MachinePhone {
    const phone = new MachinePhone(
      {
        baseUrl: service.url,
        apiKey: 'key',
        serial: 'modem-1',
        name: 'Modem',
        version: '1.0.0',
        ledger: { file: ledger },
        retrySeconds: 0.1,
        radio: { tickMs: 50 },
        stream: { initialBackoffMs: 5, maxBackoffMs: 50 },
      },
      () => new ModemDriver(modem.file),
    );
    phones.push(phone);
    return phone;
  }

  const radioChange = (phone: MachinePhone): Promise<string | undefined> =>
    new Promise((resolve) => phone.once('radio', resolve));
  const reportsOf = (smsId: string) => service.bodies('/sms-status').filter((body) => body.smsId === smsId);
  const statusesOf = (smsId: string) => reportsOf(smsId).map(({ status }) => status);
  async function until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + LONG_MS;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`Not within ${LONG_MS} ms: ${String(condition)}`);
      await sleep(20);
    }
  }

  beforeAll(installGammu);
  beforeEach(async () => {
    service = new FakeService();
    modem = new DummyModem();
    folder = mkdtempSync(join(tmpdir(), 'modem-phone-'));
    await service.listen();
  });
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await Promise.all([service.disconnect(), modem.remove()]);
    rmSync(folder, { recursive: true });
  });

  it('waits for its modem, registers, sends texts of one and more parts, and reports what the network says', async () => {
    const phone = phoneWith();
    const said = radioChange(phone);
    const started = phone.start();
    expect(await said).toContain('has not found a modem');
    expect(service.calls).toEqual([]);
    await modem.start();
    await started;
    expect(service.calls[0]?.body).toMatchObject({
      pushTransport: 'stream',
      supportsCancel: true,
      supportsEncryption: false,
      model: expect.stringMatching(/^Gammu \d/) as string,
      simInfo: { sims: [{ subscriptionId: expect.any(Number) as number, simSlotIndex: 0 }] },
    });
    const texts = ['Plain {€}', 'x[€]'.repeat(60), 'Grüße 👍 '.repeat(20)];
    service.offer(...texts.map((message, index) => ({ ...testCommand(index + 1), message })));
    await phone.until('sent', 3, LONG_MS);
    const sent = modem.query('SELECT * FROM sentitems ORDER BY ID, SequencePosition');
    const joined = new Map<unknown, string>();
    for (const { CreatorID, TextDecoded } of sent)
      joined.set(CreatorID, `${joined.get(CreatorID) ?? ''}${String(TextDecoded)}`);
    expect([...joined]).toEqual(texts.map((text, index) => [`sms-${index + 1}`, text]));
    expect(sent.map(({ UDH, Coding }) => [UDH, Coding])).toEqual([
      ['', 'Default_No_Compression'],
      ...[1, 2, 3].map((part) => [`05000302030${part}`, 'Default_No_Compression']),
      ...[1, 2, 3].map((part) => [`0500030303 0${part}`.replace(' ', ''), 'Unicode_No_Compression']),
    ]);
    expect(modem.transmissions).toBe(7);

    modem.report('+447700900001', 'Delivered');
    modem.report('+447700900002', 'Failed');
    modem.report('+447700900003', 'Delivered');
    await phone.until('delivered', 2, LONG_MS);
    await phone.until('failed', 1, LONG_MS);
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
    expect(statusesOf('sms-3')).toEqual(['SENT', 'DELIVERED']);
    expect(reportsOf('sms-2')).toMatchObject([
      { status: 'SENT' },
      {
        status: 'FAILED',
        errorCode: 'DELIVERY_FAILED',
        errorMessage: 'The network did not deliver the message',
      },
    ]);
    await phone.untilIdle(LONG_MS);
    // The network and the name of the carrier are known only after a while.
    await until(() => JSON.stringify(service.bodies('/heartbeat').at(-1)).includes('GammuT3l'));
  });

  it('uploads received texts once, joins their parts, and keeps them until the service has them', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    service.statusFor = ({ path }) => (path.endsWith('/receive-sms') ? 401 : undefined);
    const long = 'Grüße 👍 '.repeat(20);
    modem.receive('+447700900301', 'Hello {€}');
    modem.receive('Parcels', long);
    modem.receive('+447700900302', 'Incomplete '.repeat(30), { missing: 2 });
    await until(() => service.bodies('/receive-sms').length > 2);
    expect(modem.query(`SELECT * FROM inbox WHERE Processed <> 'false'`)).toEqual([]);
    service.statusFor = () => undefined;
    await phone.until('received', 2, LONG_MS);
    await until(() => modem.query(`SELECT * FROM inbox WHERE Processed = 'true'`).length === 4);
    const uploads = service.bodies('/receive-sms');
    const taken = new Map(uploads.map(({ sender, message }) => [sender, message]));
    expect([...taken].sort()).toEqual([
      ['+447700900301', 'Hello {€}'],
      ['Parcels', long],
    ]);
    expect(Number(uploads[0]?.receivedAtInMillis)).toBeGreaterThan(Date.now() - 60_000);
    // After a restart, nothing is uploaded again.
    await phone.stop();
    const count = uploads.length;
    const again = phoneWith();
    await again.start();
    modem.receive('+447700900303', 'Next');
    await again.until('received', 1, LONG_MS);
    expect(service.bodies('/receive-sms').slice(count)).toMatchObject([{ message: 'Next' }]);
  });

  it('looks up after a crash what gammu-smsd has, and writes only what it has never got', async () => {
    await modem.start();
    const ledger = join(folder, 'ledger');
    const phone = phoneWith(ledger);
    await phone.start();
    service.offer(testCommand(1));
    await phone.until('sent', 1, LONG_MS);
    await phone.stop();
    // The process died after the ledger, before and after the database.
    const store = new ModemDriver(modem.file);
    await store.check();
    const died = new SentLedger({ file: ledger });
    for (const [number, where] of [
      [2, store.store],
      [3, store.store],
      [4, 'smsd-another'],
    ] as const) {
      const command = {
        smsId: '',
        smsBatchId: '',
        message: '',
        ...testCommand(number),
        recipients: ['+447700900009'] as const,
      };
      died.accept(command, Date.now());
      died.change(`sms-${number}`, { command, sendAttemptedAt: Date.now(), store: where, parts: 1 });
      if (number === 3) await store.hand(command);
    }
    died.close();
    store.close();
    const again = phoneWith(ledger);
    await again.start();
    await again.until('sent', 2, LONG_MS);
    await until(() => modem.query('SELECT * FROM outbox').length === 0);
    const sent = modem
      .query('SELECT CreatorID FROM sentitems ORDER BY CreatorID')
      .map((row) => row.CreatorID);
    expect(sent).toEqual(['sms-1', 'sms-2', 'sms-3']);
    expect(modem.transmissions).toBe(3);
    // Another database may have sent it: it is not claimed to have failed, and never sent.
    expect(statusesOf('sms-4')).toEqual([]);
    await again.stop();
    expect(new SentLedger({ file: ledger }).find('sms-4')).toMatchObject({ settled: true });
  });

  it('takes back from a dead daemon what was cancelled or is past its deadline', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    await modem.kill();
    const validUntil = new Date(Date.now() + 6_000).toISOString();
    service.offer(testCommand(1), { ...testCommand(2), validUntil }, testCommand(3));
    await until(() => modem.query('SELECT * FROM outbox').length === 3);
    service.write('event: cancel\ndata: {"smsIds":["sms-1"]}\n\n');
    await phone.until('cancelled', 1, LONG_MS);
    await phone.until('failed', 1, LONG_MS);
    expect(reportsOf('sms-2')).toMatchObject([{ errorCode: 'EXPIRED' }]);
    expect(modem.query('SELECT CreatorID FROM outbox')).toMatchObject([{ CreatorID: 'sms-3' }]);
    await modem.start();
    await phone.until('sent', 1, LONG_MS);
    expect(modem.transmissions).toBe(1);
  });

  it('goes offline when its stick is pulled out, says so, and continues when it is back', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    const problems: (string | undefined)[] = [];
    phone.on('radio', (problem) => problems.push(problem));
    await modem.kill();
    modem.unplug();
    await modem.start();
    await until(() => problems.length > 0);
    expect(problems[0]).toMatch(/is silent since .+ UTC: the user of gammu-smsd may not open the device/);
    await until(() => service.streams.size === 0);
    const { heartbeats } = phone.counts;
    await phone.heartbeat();
    expect(phone.counts.heartbeats).toBe(heartbeats);
    await modem.kill();
    modem.plugIn();
    await modem.start();
    await until(() => problems.includes(undefined));
    expect(new Set(problems).size).toBe(problems.length);
    await until(() => service.streams.size === 1);
    service.offer(testCommand(1));
    await phone.until('sent', 1, LONG_MS);
    expect(modem.transmissions).toBe(1);
  });

  it('never sends again what a daemon was sending when it was killed, and does not claim to know', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    await modem.kill();
    service.offer(testCommand(1), testCommand(2));
    await until(() => modem.query('SELECT * FROM outbox').length === 2);
    // It had reserved the message 100 seconds ago.
    modem.query(
      `UPDATE outbox SET SendingTimeOut = datetime('now', 'localtime', '-40 seconds') WHERE CreatorID = 'sms-1' RETURNING ID`,
    );
    modem.query(`UPDATE phones SET InsertIntoDB = datetime('now', 'localtime') RETURNING ID`);
    await until(() => modem.query('SELECT * FROM outbox').length === 1);
    await modem.start();
    await phone.until('sent', 1, LONG_MS);
    expect(modem.transmissions).toBe(1);
    expect(statusesOf('sms-1')).toEqual([]);
    expect(statusesOf('sms-2')).toEqual(['SENT']);
  });

  it('takes reports while somebody reads the database of gammu-smsd', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    service.offer(testCommand(1));
    await phone.until('sent', 1, LONG_MS);
    const release = modem.readUntilReleased();
    modem.report('+447700900001', 'Delivered');
    await phone.until('delivered', 1, LONG_MS);
    release();
  });

  it('sends again after the disk of gammu-smsd was full, once', async () => {
    await modem.start();
    const phone = phoneWith();
    await phone.start();
    modem.query(
      "CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
    );
    const failure = new Promise((resolve) => phone.once('failure', resolve));
    service.offer(testCommand(1), testCommand(2));
    expect(await failure).toContain('database or disk is full');
    modem.query('DROP TRIGGER full');
    await phone.until('sent', 2, LONG_MS);
    expect(modem.transmissions).toBe(2);
  });
});
