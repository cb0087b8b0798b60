import { type AirRecord, numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import type { VirtualPhoneOptions } from 'messaging-gateway-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { accepted, FakeFcm, fcmError, messageOf } from '../support/fake-fcm';
import { TestService } from '../support/service';

/** Nine parts of 153 characters. */
const NINE_PARTS = 'x'.repeat(9 * 153);

interface DeviceJson {
  simInfo: { sims: { subscriptionId: number; iccId?: string }[] };
}

describe('virtual phones with several SIMs', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let client: TestClient;
  let phones: VirtualPhone[];

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options() });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    phones = [];
  });
  afterEach(() => Promise.all(phones.map((phone) => phone.stop())));
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  async function startPhone(options: Partial<VirtualPhoneOptions> = {}): Promise<VirtualPhone> {
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
      seed: 1,
      ...options,
    });
    phones.push(phone);
    await phone.start();
    return phone;
  }

  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => `+4477009000${10 + index}`);
  const untilStatuses = async (phone: VirtualPhone, batch: string, expected: object) => {
    const { messages } = await eventually(
      () => client.batch(phone.deviceId, batch),
      (answer) =>
        JSON.stringify(countBy(answer.messages.map(({ status }) => status))) === JSON.stringify(expected),
    );
    return messages;
  };
  const simsOf = async (phone: VirtualPhone) => {
    const answer = await client.get(`/gateway/devices/${phone.deviceId}`);
    return (answer.body as { data: DeviceJson }).data.simInfo.sims;
  };
  /** The messages that went on the air more than once. */
  const doubled = (records: readonly AirRecord[]) => {
    const ids = records.filter(({ partTimes }) => partTimes.length > 0).map(({ smsId }) => smsId);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  };

  it('send by the SIM of the message, else by the default one, and say which', async () => {
    const phone = await startPhone({ sims: numberedSims(2, 'two-sims'), defaultSim: 2 });
    expect(await simsOf(phone)).toMatchObject([
      { subscriptionId: 1, iccId: numberedSims(2, 'two-sims')[0]?.iccId },
      { subscriptionId: 2, iccId: numberedSims(2, 'two-sims')[1]?.iccId },
    ]);
    const named = await client.send(recipients(3), { simSubscriptionId: 1 });
    const unnamed = await client.send(recipients(3));
    for (const [batch, sim] of [
      [named, 1],
      [unnamed, 2],
    ] as const) {
      const messages = await untilStatuses(phone, batch, { delivered: 3 });
      expect(messages.map(({ simSubscriptionId }) => simSubscriptionId)).toEqual([sim, sim, sim]);
    }
    const bySim = phone.airLog.map(({ smsBatchId, simSubscriptionId }) => [smsBatchId, simSubscriptionId]);
    expect(bySim.filter(([batch]) => batch === named)).toEqual([
      [named, 1],
      [named, 1],
      [named, 1],
    ]);
    expect(bySim.filter(([batch]) => batch === unnamed)).toEqual([
      [unnamed, 2],
      [unnamed, 2],
      [unnamed, 2],
    ]);
  });

  it("fail long texts beyond Android's limit, and send what a person confirms", async () => {
    const phone = await startPhone({ sims: numberedSims(2, 'limit'), partsPerMinute: 30 });
    await client.patch(`/gateway/devices/${phone.deviceId}`, { partsPerMinute: null });
    const batch = await client.send(recipients(10), { message: NINE_PARTS, simSubscriptionId: 1 });
    const other = await client.send(recipients(3), { message: NINE_PARTS, simSubscriptionId: 2 });
    const messages = await untilStatuses(phone, batch, { delivered: 3, dispatched: 5, failed: 2 });
    await untilStatuses(phone, other, { delivered: 3 });
    expect(messages.filter(({ status }) => status === 'failed')).toMatchObject([
      { errorCode: '5' },
      { errorCode: '5' },
    ]);
    expect(phone.counts.partsOnAir).toBe(6 * 9);
    phone.answerConfirmations(true);
    await untilStatuses(phone, batch, { delivered: 8, failed: 2 });
    expect(phone.counts.partsOnAir).toBe(11 * 9);
    expect(doubled(phone.airLog)).toEqual([]);
  });

  it('fail or lose what the carrier blocks, until the block ends', async () => {
    const phone = await startPhone({ sims: numberedSims(2, 'block') });
    const send = async (expected: object) => {
      const batch = await client.send(recipients(4), { simSubscriptionId: 1 });
      return untilStatuses(phone, batch, expected);
    };
    const { carrier } = phone.sim(1);
    await send({ delivered: 4 });
    carrier.block = 'fail';
    expect((await send({ failed: 4 })).map(({ errorCode }) => errorCode)).toEqual(['1', '1', '1', '1']);
    carrier.block = 'drop';
    await send({ sent: 4 });
    await untilStatuses(phone, await client.send(recipients(4), { simSubscriptionId: 2 }), { delivered: 4 });
    carrier.block = undefined;
    await send({ delivered: 4 });
    expect(phone.airLog.filter(({ dropped }) => dropped)).toHaveLength(4);
    expect(phone.counts.partsOnAir).toBe(16);
    expect(doubled(phone.airLog)).toEqual([]);
  });

  it('take a SIM from one phone to another while both run', async () => {
    const from = await startPhone({ serial: 'from', sims: numberedSims(2, 'from') });
    const to = await startPhone({ serial: 'to', sims: numberedSims(1, 'to') });
    to.insertSim(from.removeSim(2));
    await Promise.all([from.heartbeat(), to.heartbeat()]);
    const moved = numberedSims(2, 'from')[1]?.iccId;
    expect((await simsOf(from)).map(({ iccId }) => iccId)).not.toContain(moved);
    expect(await simsOf(to)).toMatchObject([{}, { subscriptionId: 2, iccId: moved }]);
    const batch = await client.send(recipients(2), { deviceId: to.deviceId, simSubscriptionId: 2 });
    await untilStatuses(to, batch, { delivered: 2 });
    expect(to.airLog.map(({ iccId }) => iccId)).toEqual([moved, moved]);
  });

  it('send a message once when they freeze before they acknowledge it', async () => {
    const phone = await startPhone();
    phone.freeze();
    const batch = await client.send(recipients(2));
    await untilStatuses(phone, batch, { dispatched: 2 });
    expect(phone.airLog).toEqual([]);
    phone.thaw();
    await untilStatuses(phone, batch, { delivered: 2 });
    expect(doubled(phone.airLog)).toEqual([]);
  });

  it('fail what is pushed to a lost token, and send again with the next token', async () => {
    const phone = await startPhone({ fcmToken: `first-${client.user.toHexString()}` });
    fcm.respond = (push) => {
      const { token, data } = messageOf(push);
      return phone.receivePush(token, data) ? accepted() : fcmError(404, 'NOT_FOUND', 'gone', 'UNREGISTERED');
    };
    const deviceId = phone.deviceId;
    await untilStatuses(phone, await client.send(recipients(1), { deviceId }), { delivered: 1 });
    phone.loseToken();
    await untilStatuses(phone, await client.send(recipients(1), { deviceId }), { failed: 1 });
    await phone.renewToken(`second-${client.user.toHexString()}`);
    await untilStatuses(phone, await client.send(recipients(1), { deviceId }), { delivered: 1 });
    expect(phone.airLog).toHaveLength(2);
  });
});

/** The number of each value, by value. */
function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of [...values].sort()) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
