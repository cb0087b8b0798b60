import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { BillingService } from '../../src/billing/billing.service';
import { UsageRecountRepository } from '../../src/billing/usage/usage-recount.repository';
import type { Usage } from '../../src/billing/usage/usage.schema';
import type { Recount } from '../../src/common/upkeep/recount';
import { Recounts } from '../../src/common/upkeep/recounts.service';
import { DeviceTotalsRepository } from '../../src/devices/device-totals.repository';
import type { Device } from '../../src/devices/device.schema';
import { DevicesRepository } from '../../src/devices/devices.repository';
import { SendRollbackService } from '../../src/gateway/sends/send-rollback.service';
import { DispatchService } from '../../src/gateway/dispatch/dispatch.service';
import { DeviceTotalsRecount } from '../../src/gateway/recounts/device-totals.recount';
import { RecountScheduler } from '../../src/gateway/recounts/recount.scheduler';
import { UsageRecount } from '../../src/gateway/recounts/usage.recount';
import { SendRecoveryScheduler } from '../../src/gateway/sends/send-recovery.scheduler';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('recounts', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    const transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler' },
      transport,
      shared: service,
    });
    for (const each of [service, other]) each.stopTimers();
  });
  beforeEach(async () => {
    for (const each of [service, other]) jest.spyOn(each.get(Recounts), 'settle').mockResolvedValue();
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const totals = async (id = device) => {
    const found = await service.collection('devices').findOne<Device>({ _id: new Types.ObjectId(id) });
    return { sent: found?.sentSMSCount, received: found?.receivedSMSCount };
  };
  const usage = async () => {
    const found = await service.collection('usages').findOne<Usage>({ _id: client.user });
    return { day: found?.dayCount, month: found?.monthCount };
  };
  const drift = (
    collection: 'devices' | 'usages',
    id: Types.ObjectId | string,
    by: Record<string, number | undefined>,
  ) => service.collection(collection).updateOne({ _id: new Types.ObjectId(id) }, { $inc: by });
  const reconcile = (recount: Recount, id: Types.ObjectId | string, at = service) =>
    at.get(Recounts).mend(recount, [new Types.ObjectId(id)]);
  const reconcileTotals = (at = service) => reconcile(at.get(DeviceTotalsRecount), device, at);
  const reconcileUsage = (at = service) => reconcile(at.get(UsageRecount), client.user, at);
  const receive = (message: string, fields: object = {}) =>
    client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49', message, ...fields });

  /** Sends one message for each list of statuses and reports them. */
  async function sendReported(...statuses: string[][]): Promise<void> {
    const batch = await client.send(numbers(statuses.length));
    const { messages } = await client.batch(device, batch);
    for (const [index, { _id }] of messages.entries()) {
      for (const status of statuses[index] ?? []) await client.report(device, _id, status);
    }
  }

  describe('of a device', () => {
    it('correct the sent and received counters in both directions', async () => {
      await sendReported(['SENT'], ['SENT', 'DELIVERED'], ['DELIVERED', 'SENT'], ['FAILED'], []);
      await sendReported(['odd', 'SENT'], ['SENT', 'FAILED']); // a failure after sending still counts as sent
      await receive('one');
      await receive('two', { receivedAtInMillis: 5 });
      await receive('two', { receivedAtInMillis: 5 });
      expect(await totals()).toEqual({ sent: 5, received: 2 });
      for (const by of [
        { sentSMSCount: 3 },
        { receivedSMSCount: 2 },
        { sentSMSCount: -4, receivedSMSCount: -2 },
        { sentSMSCount: 0 },
      ]) {
        await drift('devices', device, by);
        await reconcileTotals();
        expect(await totals()).toEqual({ sent: 5, received: 2 });
      }
    });

    it('include deleted devices, which still count for the account', async () => {
      await sendReported(['SENT']);
      await client.delete(`/gateway/devices/${device}`);
      await drift('devices', device, { sentSMSCount: 7 });
      await reconcileTotals();
      const stats = await client.get('/gateway/stats');
      expect(stats.body).toMatchObject({ data: { totalSentSMSCount: 1, totalDeviceCount: 0 } });
    });

    it('do not overwrite a counter that changes after it was read', async () => {
      await sendReported(['SENT']);
      await drift('devices', device, { sentSMSCount: 5 });
      const repository = service.get(DeviceTotalsRepository);
      const write = repository.mend.bind(repository);
      const written: boolean[] = [];
      const spy = jest.spyOn(repository, 'mend').mockImplementation(async (...args) => {
        if (written.length < 2) await sendReported(['SENT']);
        written.push(await write(...args));
        return written.at(-1) ?? false;
      });
      await reconcileTotals();
      expect(written).toEqual([false, false, true]);
      expect(await totals()).toEqual({ sent: 3, received: 0 });
      // A counter that keeps changing is corrected by a later run.
      spy.mockImplementation(async (...args) => {
        await sendReported(['SENT']);
        return write(...args);
      });
      await drift('devices', device, { sentSMSCount: 5 });
      await reconcileTotals();
      const sent = spy.mock.calls.length;
      expect(sent).toBeGreaterThan(3);
      expect(await totals()).toEqual({ sent: sent + 5, received: 0 });
      spy.mockRestore();
      await reconcileTotals();
      expect(await totals()).toEqual({ sent, received: 0 });
    });

    it('tolerate a message whose count is not written yet', async () => {
      // The message is stored; its count follows after the first read.
      jest.spyOn(service.get(DevicesRepository), 'incrementCounter').mockResolvedValue();
      await sendReported(['SENT']);
      const write = jest.spyOn(service.get(DeviceTotalsRepository), 'mend');
      jest.spyOn(service.get(Recounts), 'settle').mockImplementationOnce(async () => {
        await drift('devices', device, { sentSMSCount: 1 });
      });
      await reconcileTotals();
      expect(write).not.toHaveBeenCalled();
      expect(await totals()).toEqual({ sent: 1, received: 0 });
    });

    it('have the same result in several concurrent processes', async () => {
      await sendReported(['SENT'], ['SENT']);
      await drift('devices', device, { sentSMSCount: -2, receivedSMSCount: 9 });
      await drift('usages', client.user, { dayCount: 5, monthCount: -1 });
      const [traffic] = await Promise.all([
        sendReported(['SENT'], ['DELIVERED'], ['FAILED']),
        ...[service, other, service, other].flatMap((each) => [reconcileTotals(each), reconcileUsage(each)]),
      ]);
      expect(traffic).toBeUndefined();
      await reconcileTotals();
      await reconcileUsage();
      expect(await totals()).toEqual({ sent: 4, received: 0 });
      expect(await usage()).toEqual({ day: 5, month: 5 });
    });
  });

  describe('of plan usage', () => {
    /** Noon of the tenth of a month, so that no test crosses midnight. */
    beforeEach(() => {
      const now = service.clock.now();
      const noon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12);
      service.clock.advance(noon - now.getTime());
    });

    it('correct the day and the month: sent without cancelled, plus received messages', async () => {
      await client.send(numbers(4));
      await receive('long ago', { receivedAtInMillis: 5 });
      service.clock.advance(DAY);
      const batch = await client.send(numbers(70));
      await service.get(DispatchService).dispatchWave({ batch: new Types.ObjectId(batch), wave: 0 });
      await client.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`);
      await receive('one');
      await client.delete(`/gateway/devices/${device}`);
      expect(await usage()).toEqual({ day: 51, month: 56 });
      for (const by of [
        { dayCount: 9 },
        { monthCount: -6 },
        { dayCount: -51, monthCount: 8 },
        { dayCount: 0 },
      ]) {
        await drift('usages', client.user, by);
        await reconcileUsage();
        expect(await usage()).toEqual({ day: 51, month: 56 });
      }
    });

    it('do not overwrite a counter that changes after it was read', async () => {
      await client.send(numbers(2));
      await drift('usages', client.user, { dayCount: 5, monthCount: 5 });
      const repository = service.get(UsageRecountRepository);
      const write = repository.mend.bind(repository);
      jest.spyOn(repository, 'mend').mockImplementationOnce(async (...args) => {
        await client.send(numbers(3));
        return write(...args);
      });
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 5, month: 5 });
    });

    it('count a send in acceptance once, at every step', async () => {
      const seen: unknown[] = [];
      const look = async () => {
        await reconcileUsage();
        seen.push(await usage());
      };
      const steps = [
        [service.get(BillingService), 'reserve'],
        [service.get(MessagesRepository), 'insert'],
        [service.get(BatchesRepository), 'accept'],
      ] as const;
      await client.send(numbers(1));
      for (const [target, method] of steps) {
        const object = target as object as Record<string, (...args: unknown[]) => Promise<unknown>>;
        const original = object[method]?.bind(object);
        jest.spyOn(object, method).mockImplementationOnce(async (...args: unknown[]) => {
          await look();
          const result = await original?.(...args);
          await look();
          return result;
        });
      }
      await client.send(numbers(5));
      const [before, after] = [
        { day: 1, month: 1 },
        { day: 6, month: 6 },
      ];
      expect(seen).toEqual([before, after, after, after, after, after]);
      expect(await usage()).toEqual(after);
    });

    it('wait for a cancellation in progress', async () => {
      const batch = await client.send(numbers(5));
      jest.spyOn(service.get(BatchesRepository), 'finishCancel').mockRejectedValueOnce(new Error('kill -9'));
      expect((await client.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`)).status).toBe(500);
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 0, month: 0 });
      service.clock.advance(16_000);
      await service.get(SendRecoveryScheduler).sweep();
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 0, month: 0 });
    });

    describe('return the reservation of an abandoned send once', () => {
      /** Simulates a process that reserves five messages and dies. */
      async function dieReserved(): Promise<Types.ObjectId> {
        jest.spyOn(service.get(MessagesRepository), 'insert').mockRejectedValueOnce(new Error('kill -9'));
        jest.spyOn(service.get(SendRollbackService), 'abandon').mockRejectedValueOnce(new Error('kill -9'));
        expect(
          (await client.post('/gateway/send-sms', { message: 'x', recipients: numbers(5) })).status,
        ).toBe(500);
        const batch = await service
          .collection('batches')
          .findOne({ user: client.user, acceptance: 'accepting' });
        if (!batch) throw new Error('There is no dead send');
        return batch._id;
      }

      async function sweepDead(): Promise<void> {
        service.clock.advance(16_000);
        await service.get(SendRecoveryScheduler).sweep();
      }

      beforeEach(() => client.send(numbers(2)));

      it('if more later sends than are remembered followed', async () => {
        await dieReserved();
        const later = Array.from({ length: 200 }, () => new Types.ObjectId());
        await service.collection('usages').updateOne({ _id: client.user }, { $set: { reserved: later } });
        await reconcileUsage(); // it may still be accepted
        expect(await usage()).toEqual({ day: 7, month: 7 });
        await sweepDead();
        expect(await usage()).toEqual({ day: 7, month: 7 });
        for (let run = 0; run < 2; run++) {
          await reconcileUsage();
          expect(await usage()).toEqual({ day: 2, month: 2 });
        }
      });

      it('if it is already abandoned but not returned', async () => {
        await dieReserved();
        jest.spyOn(service.get(BillingService), 'release').mockRejectedValueOnce(new Error('kill -9'));
        await sweepDead();
        await drift('usages', client.user, { dayCount: 3 });
        await reconcileUsage();
        expect(await usage()).toEqual({ day: 7, month: 7 });
        await sweepDead();
        await reconcileUsage();
        expect(await usage()).toEqual({ day: 2, month: 2 });
      });

      it('if it is removed and returned late', async () => {
        const batch = await dieReserved();
        await service.collection('batches').deleteOne({ _id: batch });
        await reconcileUsage();
        expect(await usage()).toEqual({ day: 2, month: 2 });
        const day = service.clock.now().toISOString().slice(0, 10);
        await service
          .get(BillingService)
          .release(accountScope(client.user), { batch, charges: [{ day, count: 5 }] });
        expect(await usage()).toEqual({ day: 2, month: 2 });
      });
    });

    it('use the current day and month', async () => {
      await client.send(numbers(4));
      service.clock.advance(DAY);
      // The count of a past day is not used.
      await drift('usages', client.user, { dayCount: 5, monthCount: 1 });
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 9, month: 4 });
      await client.send(numbers(3));
      await drift('usages', client.user, { dayCount: 5, monthCount: 1 });
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 3, month: 7 });
      service.clock.advance(30 * DAY);
      await drift('usages', client.user, { dayCount: 5, monthCount: 1 });
      await reconcileUsage(); // not used
      await client.send(numbers(2));
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 2, month: 2 });
      await drift('usages', client.user, { dayCount: 5, monthCount: 7 });
      await reconcileUsage();
      expect(await usage()).toEqual({ day: 2, month: 2 });
    });
  });

  describe('run', () => {
    const sweep = () => Promise.all([service, other].map((each) => each.get(RecountScheduler).sweep()));

    it('daily, over all accounts, in one process', async () => {
      // more than one page of both
      const clients = await Promise.all(Array.from({ length: 110 }, () => service.newAccount()));
      for (const each of clients) {
        await each.newDevice();
        await each.send(numbers(1));
      }
      const everyDevice = { user: { $in: clients.map(({ user }) => user) } };
      const everyUsage = { _id: { $in: clients.map(({ user }) => user) } };
      const inject = async () => {
        await service.collection('devices').updateMany(everyDevice, { $inc: { sentSMSCount: 1 } });
        await service.collection('usages').updateMany(everyUsage, { $inc: { monthCount: 1 } });
      };
      const drifted = async () => [
        await service.collection('devices').countDocuments({ ...everyDevice, sentSMSCount: 1 }),
        await service.collection('usages').countDocuments({ ...everyUsage, monthCount: 2 }),
      ];
      await inject();
      service.clock.advance(DAY);
      const looks = [service, other].map((each) => jest.spyOn(each.get(DeviceTotalsRecount), 'listAfter'));
      await sweep();
      expect(await drifted()).toEqual([0, 0]);
      const pages = looks.flatMap(({ mock }) => mock.calls).length;
      expect(pages).toBe(Math.floor((await service.collection('devices').countDocuments()) / 100) + 1);
      await inject();
      service.clock.advance(DAY - HOUR);
      await sweep();
      expect(await drifted()).toEqual([110, 110]);
      service.clock.advance(HOUR);
      await sweep();
      expect(await drifted()).toEqual([0, 0]);
    });

    it('even if one of them fails', async () => {
      const recount = service.get(DeviceTotalsRecount);
      const second = await client.newDevice({ model: 'Second' });
      for (const each of [device, second]) await drift('devices', each, { sentSMSCount: 2 });
      const look = recount.look.bind(recount);
      jest
        .spyOn(recount, 'look')
        .mockImplementation((id) =>
          id.equals(device) ? Promise.reject(new Error('out of reach')) : look(id),
        );
      await service.get(Recounts).mend(recount, [new Types.ObjectId(device), new Types.ObjectId(second)]);
      expect([await totals(device), await totals(second)]).toEqual([
        { sent: 2, received: 0 },
        { sent: 0, received: 0 },
      ]);
    });
  });
});
