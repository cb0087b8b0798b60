import { Types } from 'mongoose';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { StreamTransport } from '../../src/push/stream/stream-transport';
import { TestClient } from '../support/client';
import { FakeFcm, fcmError, accepted } from '../support/fake-fcm';
import { TestService } from '../support/service';

const MINUTE = 60_000;

describe('checks of phones that have missed two heartbeats', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let schedulers: TestService[];
  let client: TestClient;
  let device: string;
  let token: string;

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ environment: { APP_ROLES: 'api' }, firebase: fcm.options() });
    const options = { environment: { APP_ROLES: 'scheduler' }, shared: service, firebase: fcm.options() };
    schedulers = [await TestService.start(options), await TestService.start(options)];
  });
  beforeEach(async () => {
    fcm.respond = accepted;
    fcm.received.length = 0;
    // Excludes the phones of other tests.
    await service.collection('devices').updateMany({}, { $set: { heartbeatEnabled: false } });
    client = await service.newAccount();
    token = `token:${new Types.ObjectId().toHexString()}`;
    device = await client.newDevice({ pushTransport: undefined, fcmToken: token });
  });
  afterAll(async () => {
    await Promise.all(schedulers.map((each) => each.stop()));
    await service.stop();
    await fcm.stop();
  });

  const heartbeat = () => client.post(`/gateway/devices/${device}/heartbeat`, {});
  const sweep = () =>
    Promise.all([...schedulers, ...schedulers].map((each) => each.get(PhonesScheduler).checkHeartbeats()));
  const countChecksAfter = async (minutes: number) => {
    fcm.received.length = 0;
    service.clock.advance(minutes * MINUTE);
    await sweep();
    return fcm.received.length;
  };

  it('are sent once an hour by all processes together, until the next heartbeat', async () => {
    await heartbeat();
    expect(await countChecksAfter(0)).toBe(0);
    expect(await countChecksAfter(59)).toBe(0);
    expect(await countChecksAfter(2)).toBe(1);
    expect(await countChecksAfter(58)).toBe(0);
    expect(await countChecksAfter(3)).toBe(1);
    await heartbeat();
    expect(await countChecksAfter(59)).toBe(0);
    expect(await countChecksAfter(3)).toBe(1);
  });

  it('have exactly the format that released apps read', async () => {
    await heartbeat();
    await countChecksAfter(61);
    expect(fcm.received.map(({ body }) => body)).toEqual([
      JSON.stringify({
        message: {
          token,
          data: { type: 'heartbeat_check' },
          android: { priority: 'high', ttl: '1800s', collapse_key: 'heartbeat_check' },
        },
      }),
    ]);
  });

  it('are sent over the stream of a phone that has one', async () => {
    const stream = await client.newDevice({ model: 'Other' });
    await client.post(`/gateway/devices/${stream}/heartbeat`, {});
    const pushes = schedulers.map((each) => jest.spyOn(each.get(StreamTransport), 'push'));
    expect(await countChecksAfter(61)).toBe(0);
    const checks = pushes.flatMap(({ mock }) => mock.calls);
    expect(checks).toMatchObject([[{ deviceId: new Types.ObjectId(stream) }, [{ kind: 'heartbeat_check' }]]]);
    for (const push of pushes) push.mockRestore();
  });

  it.each([
    ['without any heartbeat', {}, false],
    ['that is disabled', { enabled: false }, true],
    ['with heartbeats switched off', { heartbeatEnabled: false }, true],
    ['with a longer interval', { heartbeatIntervalMinutes: 60 }, true],
  ])('are not sent to a phone %s', async (_, fields, hasHeartbeat) => {
    if (hasHeartbeat) await heartbeat();
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, { $set: { heartbeatIntervalMinutes: 30, ...fields } });
    expect(await countChecksAfter(0)).toBe(0);
    expect(await countChecksAfter(61)).toBe(0);
  });

  it('remove an invalid token', async () => {
    await heartbeat();
    fcm.respond = () => fcmError(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED');
    expect(await countChecksAfter(61)).toBe(1);
    expect(await service.collection('devices').countDocuments({ fcmToken: token })).toBe(0);
    expect(await countChecksAfter(61)).toBe(0);
  });
});
