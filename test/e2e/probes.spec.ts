import { Types } from 'mongoose';
import { ProbeScheduler } from '../../src/gateway/probe.scheduler';
import { StreamTransport } from '../../src/push/stream/stream-transport';
import { TestClient } from '../support/client';
import { FakeFcm, refusal, taken } from '../support/fake-fcm';
import { TestService } from '../support/service';

const MINUTE = 60_000;

describe('probes of silent phones', () => {
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
    fcm.answer = taken;
    fcm.received.length = 0;
    // The phones of other tests are none of this one's.
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
    Promise.all([...schedulers, ...schedulers].map((each) => each.get(ProbeScheduler).sweep()));
  const probesAfter = async (minutes: number) => {
    fcm.received.length = 0;
    service.clock.advance(minutes * MINUTE);
    await sweep();
    return fcm.received.length;
  };

  it('are sent once an hour, whoever looks, until the phone is heard again', async () => {
    await heartbeat();
    expect(await probesAfter(0)).toBe(0);
    expect(await probesAfter(59)).toBe(0);
    expect(await probesAfter(2)).toBe(1);
    expect(await probesAfter(58)).toBe(0);
    expect(await probesAfter(3)).toBe(1);
    await heartbeat();
    expect(await probesAfter(59)).toBe(0);
    expect(await probesAfter(3)).toBe(1);
  });

  it('are exactly the push that phones in the field read', async () => {
    await heartbeat();
    await probesAfter(61);
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

  it('go over a stream to a phone that holds one', async () => {
    const stream = await client.newDevice({ model: 'Other' });
    await client.post(`/gateway/devices/${stream}/heartbeat`, {});
    const pushes = schedulers.map((each) => jest.spyOn(each.get(StreamTransport), 'push'));
    expect(await probesAfter(61)).toBe(0);
    const probes = pushes.flatMap(({ mock }) => mock.calls);
    expect(probes).toMatchObject([[{ deviceId: new Types.ObjectId(stream) }, [{ kind: 'heartbeat_check' }]]]);
    for (const push of pushes) push.mockRestore();
  });

  it.each([
    ['never heard', {}, false],
    ['disabled', { enabled: false }, true],
    ['without heartbeats', { heartbeatEnabled: false }, true],
    ['of a longer interval', { heartbeatIntervalMinutes: 60 }, true],
  ])('are not for a phone that is %s', async (_, fields, heard) => {
    if (heard) await heartbeat();
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, { $set: { heartbeatIntervalMinutes: 30, ...fields } });
    expect(await probesAfter(0)).toBe(0);
    expect(await probesAfter(61)).toBe(0);
  });

  it('find out that a token is dead', async () => {
    await heartbeat();
    fcm.answer = () => refusal(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED');
    expect(await probesAfter(61)).toBe(1);
    expect(await service.collection('devices').countDocuments({ fcmToken: token })).toBe(0);
    expect(await probesAfter(61)).toBe(0);
  });
});
