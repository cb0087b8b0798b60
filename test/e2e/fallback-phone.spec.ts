import { yieldToOtherPhone, PhoneApi, waitUntilNeeded, VIRTUAL_MODEL } from 'messaging-gateway-phone';
import { REQUEST_EXAMPLES } from '../../src/openapi/openapi-requests';
import { TestClient } from '../support/client';
import { FakeFcm, fcmError } from '../support/fake-fcm';
import { TestService } from '../support/service';

interface DeviceJson {
  _id: string;
  enabled: boolean;
  pushError?: { code: string; message: string };
}

/** `npm start` enables its virtual phone while no phone of the owner is reachable. */
describe('the virtual phone of npm start', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let client: TestClient;
  let api: PhoneApi;
  let virtual: string;

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options() });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    api = new PhoneApi({ baseUrl: service.url, apiKey: client.apiKey });
    virtual = (await register({ model: VIRTUAL_MODEL, pushTransport: 'stream' }))._id;
    await heartbeat(virtual);
  });
  afterEach(() => {
    api.close();
  });
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  async function register(fields: object): Promise<DeviceJson> {
    const answer = await client.post('/gateway/devices', fields);
    expect(answer.status).toBe(201);
    return (answer.body as { data: DeviceJson }).data;
  }
  const heartbeat = (id: string) => client.post(`/gateway/devices/${id}/heartbeat`, {});
  const read = async (id: string) =>
    ((await client.get(`/gateway/devices/${id}`)).body as { data: DeviceJson }).data;

  it('stays enabled while the only phone has no push token', async () => {
    const { _id, pushError } = await register({ model: 'Pixel 8', pushTransport: 'fcm' });
    await heartbeat(_id);
    expect(pushError).toEqual({
      code: 'DEVICE_NOT_PUSHABLE',
      message: expect.stringContaining('open the app on the phone') as string,
    });
    const rejected = await client.post('/gateway/send-sms', {
      message: 'Hi',
      recipients: ['111'],
      deviceId: _id,
    });
    expect(rejected.body).toMatchObject({ ...pushError });
    expect(await yieldToOtherPhone(api)).toBe(false);
    expect(await read(virtual)).toMatchObject({ enabled: true });
  });

  it('stays enabled for a device registered on the API page until a phone uses it', async () => {
    const { _id } = await register(REQUEST_EXAMPLES.registerDevice ?? {});
    expect(await yieldToOtherPhone(api)).toBe(false);
    expect(await read(virtual)).toMatchObject({ enabled: true });
    await heartbeat(_id);
    expect(await yieldToOtherPhone(api)).toBe(true);
    expect(await read(virtual)).toMatchObject({ enabled: false });
  });

  it('is enabled again when the push token of the last phone is unregistered', async () => {
    const fcmToken = `token-${client.user.toHexString()}`;
    const { _id } = await register({ model: 'Pixel 8', fcmToken });
    await heartbeat(_id);
    expect(await yieldToOtherPhone(api)).toBe(true);
    fcm.respond = () => fcmError(404, 'NOT_FOUND', 'gone', 'UNREGISTERED');
    await client.send(['111'], { deviceId: _id });
    await waitUntilNeeded(api, AbortSignal.timeout(60_000));
    expect(await read(_id)).toMatchObject({ pushError: { code: 'DEVICE_NOT_PUSHABLE' } });
  });
});
