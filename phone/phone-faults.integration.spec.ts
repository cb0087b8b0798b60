import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService, testCommand } from './fake-service';
import type { VirtualPhoneOptions } from './phone-options';
import { SentLedger } from './sent-ledger';
import { numberedSims } from './sims/numbered-sims';
import { VirtualPhone } from './virtual-phone';
import { isRecord, readSmsCommand } from './wire';

const NINE_PARTS = 'x'.repeat(1_377);

describe('VirtualPhone with SIMs and faults', () => {
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

  async function startedPhone(options: Partial<VirtualPhoneOptions> = {}): Promise<VirtualPhone> {
    const phone = phoneWith(options);
    await phone.start();
    return phone;
  }

  const statusesOf = (smsId: string): unknown[] =>
    service
      .bodies('/sms-status')
      .filter((body) => body.smsId === smsId)
      .map((body) => body.status);
  const simsIn = (body: Readonly<Record<string, unknown>> | undefined): unknown[] =>
    isRecord(body?.simInfo) && Array.isArray(body.simInfo.sims) ? body.simInfo.sims : [];

  beforeEach(async () => {
    service = new FakeService();
    await service.listen();
  });
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
    await service.disconnect();
  });

  it('tells its SIMs and its limit, and the SIM of each message', async () => {
    const sims = numberedSims(2, 'serial-1', (slot) => ({ phoneNumber: `+44770090000${slot}` }));
    const phone = await startedPhone({ sims, defaultSim: 2, partsPerMinute: 30 });
    const [registration] = service.bodies('/gateway/devices');
    expect(registration).toMatchObject({ partsPerMinute: 30, pushTransport: 'stream' });
    expect(simsIn(registration)).toMatchObject([
      { subscriptionId: 1, simSlotIndex: 0, iccId: sims[0]?.iccId, phoneNumber: '+447700900000' },
      { subscriptionId: 2, simSlotIndex: 1, iccId: sims[1]?.iccId, phoneNumber: '+447700900001' },
    ]);
    expect(simsIn(service.bodies('/heartbeat')[0])).toEqual(simsIn(registration));
    service.offer({ ...testCommand(1), simSubscriptionId: 1 }, testCommand(2));
    await phone.until('delivered', 2);
    expect(phone.airLog).toMatchObject([
      { smsId: 'sms-1', simSubscriptionId: 1, iccId: sims[0]?.iccId, parts: 1, dropped: false },
      { smsId: 'sms-2', simSubscriptionId: 2, iccId: sims[1]?.iccId, parts: 1, dropped: false },
    ]);
    expect(service.bodies('/sms-status').find(({ smsId }) => smsId === 'sms-2')).toMatchObject({
      simUsed: 2,
    });
  });

  it('tells one SIM and no limit by default, and no SIM if its app does not', async () => {
    const phone = await startedPhone();
    service.offer(testCommand(1));
    await phone.until('sent', 1);
    await startedPhone({ serial: 'serial-2', tellsSims: false });
    const [first, second] = service.bodies('/gateway/devices');
    expect(simsIn(first)).toHaveLength(1);
    expect([first?.partsPerMinute, second?.partsPerMinute]).toEqual([null, null]);
    expect(second).not.toHaveProperty('simInfo');
    expect(service.bodies('/sms-status')[0]).not.toHaveProperty('simUsed');
  });

  it('moves a SIM with its carrier between running phones', async () => {
    const other = new FakeService();
    await other.listen();
    try {
      const from = await startedPhone({ sims: numberedSims(2, 'serial-1') });
      const to = await startedPhone({ baseUrl: other.url, serial: 'serial-2' });
      from.sim(2).carrier.block = 'fail';
      to.insertSim(from.removeSim(2));
      await Promise.all([from.heartbeat(), to.heartbeat()]);
      expect(simsIn(service.bodies('/heartbeat').at(-1))).toMatchObject([{ subscriptionId: 1 }]);
      expect(simsIn(other.bodies('/heartbeat').at(-1))).toMatchObject([
        { subscriptionId: 1 },
        { subscriptionId: 2, simSlotIndex: 1, iccId: numberedSims(2, 'serial-1')[1]?.iccId },
      ]);
      service.offer({ ...testCommand(1), simSubscriptionId: 2 });
      other.offer({ ...testCommand(2), simSubscriptionId: 2 });
      await Promise.all([from.until('failed', 1), to.until('failed', 1)]);
      expect([from.airLog[0]?.iccId, to.airLog[0]?.iccId]).toEqual([
        undefined,
        numberedSims(2, 'serial-1')[1]?.iccId,
      ]);
      to.sim(2).carrier.block = undefined;
      other.offer({ ...testCommand(3), simSubscriptionId: 2 });
      await to.until('delivered', 1);
    } finally {
      await Promise.all(phones.splice(0).map((phone) => phone.stop()));
      await other.disconnect();
    }
  });

  it('reports why Android did not send', async () => {
    const phone = await startedPhone({ partsPerMinute: 8, confirmationSeconds: null });
    service.offer(
      ...Array.from({ length: 6 }, (_, index) => ({ ...testCommand(index), message: NINE_PARTS })),
    );
    await phone.until('failed', 1);
    expect(service.bodies('/sms-status')).toMatchObject([
      { smsId: 'sms-5', errorCode: '5', errorMessage: expect.stringContaining('Android') as string },
    ]);
    phone.answerConfirmations(false);
    await phone.until('failed', 6);
    phone.faults.smsPermission = false;
    service.offer(testCommand(6));
    await phone.until('failed', 7);
    expect(service.bodies('/sms-status').at(-1)).toMatchObject({ errorCode: 'PERMISSION_DENIED' });
    expect(phone.counts.partsOnAir).toBe(0);
  });

  it('does not take back what Android has', async () => {
    const phone = await startedPhone({ sims: [{ subscriptionId: 1, slot: 0, secondsPerPart: 3 }] });
    service.offer(testCommand(1), testCommand(2));
    await phone.until('acknowledged', 2);
    service.write(`event: cancel\ndata: ${JSON.stringify({ smsIds: ['sms-1', 'sms-2'] })}\n\n`);
    await phone.until('cancelled', 1);
    expect(service.bodies('/messages/cancelled')).toEqual([{ smsIds: ['sms-2'] }]);
    await phone.untilIdle();
    expect(phone.airLog.map(({ smsId }) => smsId)).toEqual(['sms-1']);
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
  });

  describe('after a restart', () => {
    let folder: string;
    let file: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'virtual-phone-'));
      file = join(folder, 'ledger.jsonl');
    });
    afterEach(async () => {
      await Promise.all(phones.splice(0).map((phone) => phone.stop()));
      rmSync(folder, { recursive: true });
    });

    it('reports a message that it died with as failed, and sends it no more', async () => {
      const sims = [{ ...numberedSims(1, 'serial-1')[0], subscriptionId: 1, slot: 0, secondsPerPart: 0.5 }];
      const before = await startedPhone({ ledger: { file }, sims });
      service.offer({ ...testCommand(1), message: NINE_PARTS });
      await before.until('acknowledged', 1);
      await before.stop();
      const [interrupted] = before.airLog;
      expect(interrupted).toMatchObject({ fate: 'failed', parts: 9 });
      expect(interrupted?.partTimes.length).toBeLessThan(9);

      const after = await startedPhone({ ledger: { file } });
      service.offer({ ...testCommand(1), message: NINE_PARTS });
      await after.until('failed', 1);
      await after.untilIdle();
      expect(new Set(statusesOf('sms-1'))).toEqual(new Set(['FAILED']));
      expect(service.bodies('/sms-status').at(-1)).toMatchObject({ errorCode: '1' });
      expect(after.airLog).toEqual([]);
      await after.stop();
      const { iccId } = sims[0] ?? {};
      const partTimes = interrupted?.partTimes;
      expect(new SentLedger({ file }).find('sms-1')).toMatchObject({
        iccId,
        parts: 9,
        partTimes,
        settled: true,
      });
    });

    it('does the same when the process was killed', async () => {
      const ledger = new SentLedger({ file });
      const command = readSmsCommand(testCommand(1));
      if (command === undefined) throw new Error('an invalid command');
      ledger.accept(command, Date.now());
      ledger.change('sms-1', { command: undefined, sendAttemptedAt: Date.now(), parts: 9 });
      ledger.close();
      const phone = await startedPhone({ ledger: { file } });
      await phone.until('failed', 1);
      expect(statusesOf('sms-1')).toEqual(['FAILED']);
      expect(phone.airLog).toEqual([]);
    });
  });

  it('tells with another heartbeat what has changed during one', async () => {
    const phone = await startedPhone({ sims: numberedSims(2, 'serial-1') });
    service.statusFor = ({ path, body }) => {
      if (!path.endsWith('/heartbeat') || simsIn(body).length === 1) return undefined;
      phone.removeSim(2);
      void phone.heartbeat();
      return undefined;
    };
    await phone.heartbeat();
    await phone.until('heartbeats', 3);
    expect(service.bodies('/heartbeat').map((body) => simsIn(body).length)).toEqual([2, 2, 1]);
  });

  it('freezes with an open stream, and does everything once when it thaws', async () => {
    const phone = await startedPhone({ stream: { idleTimeoutMs: 50 } });
    const calls = service.calls.length;
    phone.freeze();
    service.offer(testCommand(1));
    service.write('event: heartbeat_check\ndata: {}\n\n');
    await sleep(150);
    expect([service.streams.size, service.calls.length, phone.counts.offered]).toEqual([1, calls, 0]);
    service.offer(testCommand(2), testCommand(1));
    phone.thaw();
    await phone.until('delivered', 2);
    await phone.until('heartbeats', 2);
    expect(phone.airLog.map(({ smsId }) => smsId)).toEqual(['sms-1', 'sms-2']);
  });

  it('opens its stream again when it thaws, if it was closed meanwhile', async () => {
    const phone = await startedPhone();
    phone.freeze();
    await service.disconnect();
    await service.listen();
    await sleep(50);
    expect(service.streams.size).toBe(0);
    phone.thaw();
    await phone.until('streamsOpened', 2);
  });

  it('answers late, in order', async () => {
    const phone = await startedPhone({ faults: { answerDelaySeconds: 0.3 } });
    const start = Date.now();
    service.offer(testCommand(1));
    await phone.until('onAir', 1);
    expect(service.bodies('/sms-status')).toEqual([]);
    await phone.untilIdle();
    expect(Date.now() - start).toBeGreaterThanOrEqual(300);
    expect(service.bodies('/messages/ack')).toEqual([{ smsIds: ['sms-1'] }]);
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
  });

  it('keeps the order of late answers that are due when the process is busy', async () => {
    const phone = await startedPhone({ faults: { answerDelaySeconds: 0.3 } });
    service.offer(testCommand(1));
    await phone.until('onAir', 1);
    await sleep(100);
    const busyUntil = Date.now() + 400;
    while (Date.now() < busyUntil);
    await phone.untilIdle();
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
  });

  it('keeps the order of the answers when they are no longer late', async () => {
    const phone = await startedPhone({ faults: { answerDelaySeconds: 1 } });
    service.offer(testCommand(1));
    await phone.until('onAir', 1);
    phone.faults.answerDelaySeconds = 0;
    await phone.untilIdle();
    expect(statusesOf('sms-1')).toEqual(['SENT', 'DELIVERED']);
  });

  it('lies about messages that are on the air', async () => {
    const phone = await startedPhone({ faults: { lieRate: 1, lieError: '4' } });
    service.offer(testCommand(1));
    await phone.until('failed', 1);
    expect(service.bodies('/sms-status')).toMatchObject([{ status: 'FAILED', errorCode: '4' }]);
    expect(phone.airLog).toMatchObject([{ fate: 'failed', partTimes: [expect.any(Number)] }]);
  });

  it('takes FCM pushes with its token, those it missed too, and none with a token that it lost', async () => {
    const push = (number: number) => ({ smsData: JSON.stringify(testCommand(number)) });
    const phone = phoneWith({ fcmToken: 'token-1' });
    expect(phone.receivePush('token-1', push(1))).toBe(true);
    await phone.start();
    expect(service.bodies('/gateway/devices')[0]).toMatchObject({
      pushTransport: 'fcm',
      fcmToken: 'token-1',
    });
    phone.freeze();
    expect(phone.receivePush('token-1', push(2))).toBe(true);
    phone.thaw();
    await phone.until('heartbeats', 2);
    phone.loseToken();
    expect(phone.receivePush('token-1', push(3))).toBe(false);
    await phone.renewToken('token-2');
    expect(phone.receivePush('token-2', push(4))).toBe(true);
    expect(phone.receivePush('token-2', { type: 'heartbeat_check' })).toBe(true);
    await phone.until('delivered', 3);
    await phone.until('heartbeats', 3);
    expect(phone.airLog.map(({ smsId }) => smsId)).toEqual(['sms-1', 'sms-2', 'sms-4']);
    expect(service.bodies('/devices/device-1')).toEqual([{ fcmToken: 'token-2' }]);
    expect(service.bodies('/heartbeat').at(-1)).toMatchObject({ fcmToken: 'token-2' });
    expect(service.streams.size).toBe(0);
  });
});
