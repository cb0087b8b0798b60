import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { MessageMoves } from '../../src/gateway/routing/message-moves.service';
import type { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const NUMBER = '+4915112345678';
const MINUTE = 60_000;

interface MoveJson {
  readonly movedCount: number;
  readonly isComplete: boolean;
  readonly refused: readonly { id: string; code: string; message: string }[];
}

describe('moving waiting messages to another phone', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let [from, to] = ['', ''];

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    transport.devices.length = 0;
    client = await service.newAccount();
    [from, to] = [await client.newDevice(), await client.newDevice()];
  });
  afterAll(() => service.stop());

  const move = (body: object) => client.post('/gateway/messages/move', { deviceId: to, ...body });
  const moved = async (body: object): Promise<MoveJson> => {
    const answer = await move(body);
    expect(answer.status).toBe(200);
    return (answer.body as { data: MoveJson }).data;
  };
  const send = (fields: object = {}) => client.send([NUMBER], { deviceId: from, ...fields });
  const dispatch = (batch: string) => dispatchWave(service, batch);
  const stored = async (batch: string) => {
    const found = await service.collection('messages').findOne({ smsBatch: new Types.ObjectId(batch) });
    if (!found) throw new Error('there is no such message');
    return { ...found, device: String(found.device) } as typeof found & { device: string };
  };
  const idOf = async (batch: string) => String((await stored(batch))._id);
  const codes = ({ refused }: MoveJson) => Object.fromEntries(refused.map(({ id, code }) => [id, code]));

  it('moves what was never handed over, and says of each other message why not', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 10 * MINUTE).toISOString();
    const [waits, scheduled, dispatched, cancelled] = [
      await send({ simSubscriptionId: 4 }),
      await send({ scheduledAt }),
      await send(),
      await send(),
    ];
    await dispatch(dispatched);
    await client.post(`/gateway/messages/${await idOf(cancelled)}/cancel`);
    const encrypted = await client.send([NUMBER], {
      deviceId: await client.newDevice({ supportsEncryption: true }),
      encrypted: true,
      message: undefined,
      encryptedMessage: 'A'.repeat(44),
    });
    const other = await service.newAccount();
    const foreignPhone = await other.newDevice();
    const foreign = await idOf(await other.send([NUMBER], { deviceId: foreignPhone }));
    const unknown = new Types.ObjectId().toHexString();
    const messageIds = [
      ...(await Promise.all([waits, scheduled, dispatched, cancelled, encrypted].map(idOf))),
      foreign,
      unknown,
    ];
    const result = await moved({ messageIds });
    expect(result).toMatchObject({ movedCount: 2, isComplete: true });
    expect(codes(result)).toEqual({
      [await idOf(dispatched)]: 'MESSAGE_HANDED_OVER',
      [await idOf(cancelled)]: 'MESSAGE_SETTLED',
      [await idOf(encrypted)]: 'ENCRYPTION_NOT_SUPPORTED',
      [foreign]: 'MESSAGE_NOT_FOUND',
      [unknown]: 'MESSAGE_NOT_FOUND',
    });
    for (const { message } of result.refused) expect(message).toMatch(/^[A-Z].{20,}/);
    expect(await stored(waits)).toMatchObject({ device: to });
    expect(await stored(waits)).not.toHaveProperty('simSubscriptionId');
    const explained = await client.get(`/gateway/messages/${await idOf(waits)}/explanation`);
    expect(explained.body).toMatchObject({
      data: { steps: expect.arrayContaining([expect.objectContaining({ code: 'moved' })]) as unknown },
    });
    expect(await stored(scheduled)).toMatchObject({ device: to, nextDispatchAt: new Date(scheduledAt) });
    expect((await client.batch(to, waits)).messages).toHaveLength(1);
    // Again: what is there already counts as moved.
    expect(await moved({ messageIds: [await idOf(waits)] })).toMatchObject({ movedCount: 1, refused: [] });
    await dispatch(waits);
    expect(transport.devices.at(-1)).toBe(to);
  });

  it('takes a message out of its pool', async () => {
    const batch = await send();
    const pool = new Types.ObjectId();
    await service.collection('messages').updateOne({ _id: (await stored(batch))._id }, { $set: { pool } });
    await moved({ messageIds: [await idOf(batch)] });
    expect(await stored(batch)).not.toHaveProperty('pool');
    await dispatch(batch);
    expect(transport.devices).toEqual([to]);
  });

  it('takes a message out of its pool that waits at the phone already', async () => {
    const batch = await client.send([NUMBER], { deviceId: to });
    const { _id } = await stored(batch);
    await service.collection('messages').updateOne({ _id }, { $set: { pool: new Types.ObjectId() } });
    expect(await moved({ messageIds: [String(_id)] })).toMatchObject({ movedCount: 1, refused: [] });
    const message = await stored(batch);
    expect(message).toMatchObject({ device: to });
    for (const field of ['pool', 'movedFrom']) expect(message).not.toHaveProperty(field);
  });

  it('ends although the other phone cannot decrypt what waits first', async () => {
    const encrypting = await client.newDevice({ supportsEncryption: true });
    const encrypted = { encrypted: true, message: undefined, encryptedMessage: 'A'.repeat(44) };
    const kept = await client.send([NUMBER], { deviceId: encrypting, ...encrypted });
    service.clock.advance(1_000);
    const plain = await client.send([NUMBER], { deviceId: encrypting });
    const account = accountScope(client.user);
    const target = await service.get(DevicesRepository).find(account, new Types.ObjectId(to));
    if (!target) throw new Error('there is no such phone');
    const moveNext = () =>
      service
        .get(MessageMoves)
        .moveWaiting(account, new Types.ObjectId(encrypting), target, { limit: 1, leavesPool: true });
    expect(await moveNext()).toEqual({ movedCount: 1, isComplete: false });
    expect(await moveNext()).toEqual({ movedCount: 0, isComplete: true });
    expect([await stored(kept), await stored(plain)]).toMatchObject([{ device: encrypting }, { device: to }]);
  });

  it('refuses a message that a worker is pushing, and cancels one that was moved', async () => {
    const [pushing, waits] = [await send(), await send()];
    const ids = [await idOf(pushing), await idOf(waits)];
    let result: MoveJson | undefined;
    transport.resultOf = async () => {
      result = await moved({ messageIds: ids });
      return { outcome: 'accepted' };
    };
    await dispatch(pushing);
    expect(result && codes(result)).toEqual({ [ids[0] ?? '']: 'MESSAGE_BEING_HANDED_OVER' });
    expect(await stored(pushing)).toMatchObject({ device: from, status: 'dispatched' });
    const answer = await client.post(`/gateway/messages/${ids[1]}/cancel`);
    expect(answer.body).toMatchObject({ data: { cancelledCount: 1 } });
    await dispatch(waits);
    expect(transport.pushed).toEqual([ids[0]]);
  });

  it('moves all that waits for a phone, in steps', async () => {
    const batch = await client.send(
      Array.from({ length: 1_100 }, (_, n) => `+49151${String(10_000_000 + n)}`),
      { deviceId: from },
    );
    const other = await client.newDevice();
    const kept = await client.send([NUMBER], { deviceId: other });
    const sent = await send();
    await dispatch(sent);
    expect(await moved({ fromDeviceId: from })).toEqual({ movedCount: 1_100, isComplete: true, refused: [] });
    const of = (device: string) =>
      service
        .collection('messages')
        .countDocuments({ smsBatch: new Types.ObjectId(batch), device: new Types.ObjectId(device) });
    expect([await of(from), await of(to)]).toEqual([0, 1_100]);
    expect(await stored(kept)).toMatchObject({ device: other });
    expect(await stored(sent)).toMatchObject({ device: from, status: 'dispatched' });
    expect(await moved({ fromDeviceId: from })).toMatchObject({ movedCount: 0, isComplete: true });
  });

  it('is done by one of two who move at once to different phones', async () => {
    const third = await client.newDevice();
    const batch = await send();
    const messageIds = [await idOf(batch)];
    await Promise.all([moved({ messageIds }), moved({ messageIds, deviceId: third })]);
    expect([to, third]).toContain((await stored(batch)).device);
    await dispatch(batch);
    expect(transport.pushed).toHaveLength(1);
  });

  it('refuses what it cannot read, and phones that cannot send', async () => {
    const id = await idOf(await send());
    const foreign = await (await service.newAccount()).newDevice();
    const disabled = await client.newDevice();
    await client.patch(`/gateway/devices/${disabled}`, { enabled: false });
    const cases: [object, number, string][] = [
      [{}, 400, 'VALIDATION_FAILED'],
      [{ messageIds: [id], fromDeviceId: from }, 400, 'VALIDATION_FAILED'],
      [{ messageIds: [] }, 400, 'VALIDATION_FAILED'],
      [{ messageIds: [id, id] }, 400, 'VALIDATION_FAILED'],
      [{ messageIds: ['x'] }, 400, 'VALIDATION_FAILED'],
      [{ messageIds: Array.from({ length: 201 }, () => new Types.ObjectId()) }, 400, 'VALIDATION_FAILED'],
      [{ fromDeviceId: to }, 400, 'VALIDATION_FAILED'],
      [{ fromDeviceId: foreign }, 404, 'DEVICE_NOT_FOUND'],
      [{ messageIds: [id], deviceId: foreign }, 404, 'TARGET_DEVICE_NOT_FOUND'],
      [{ fromDeviceId: from, deviceId: foreign }, 404, 'TARGET_DEVICE_NOT_FOUND'],
      [{ messageIds: [id], deviceId: disabled }, 400, 'DEVICE_DISABLED'],
    ];
    for (const [body, status, code] of cases) {
      const answer = await move(body);
      expect([body, answer.status, (answer.body as { code: string }).code]).toEqual([body, status, code]);
    }
    expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(1);
  });
});
