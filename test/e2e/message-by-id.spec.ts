import type { TestClient } from '../support/client';
import { TestService } from '../support/service';

const NOBODY = '0123456789abcdef01234567';

describe('a message read by its id alone', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const read = async (id: string, by: Pick<TestClient, 'get'> = client) => {
    const answer = await by.get(`/gateway/messages/${id}`);
    const { data, code } = answer.body as { data?: { _id: string }; code?: string };
    return [answer.status, data?._id ?? code];
  };

  it('is found on every device of its account, sent or received, by key and by session', async () => {
    for (const model of ['one', 'two']) {
      const device = await client.newDevice({ model, serial: model });
      const batch = await client.send(['+4915112345678'], { deviceId: device });
      const [sent] = (await client.batch(device, batch)).messages;
      const found = await client.get(`/gateway/messages/${sent?._id ?? ''}`);
      expect((found.body as { data: object }).data).toEqual(await client.message(device, sent?._id ?? ''));
      await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message: 'Hi' });
    }
    const listed = (await client.get('/gateway/messages')).body as { data: { _id: string }[] };
    expect(listed.data).toHaveLength(4);
    const session = await service.signIn(client);
    for (const { _id } of listed.data) {
      expect(await read(_id)).toEqual([200, _id]);
      expect(await read(_id, session)).toEqual([200, _id]);
    }
  });

  it('is not found by other accounts, nor once its device is deleted', async () => {
    const device = await client.newDevice();
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4930', message: 'Hi' });
    const listed = (await client.get('/gateway/messages')).body as { data: { _id: string }[] };
    const id = listed.data[0]?._id ?? '';
    expect(await read(id)).toEqual([200, id]);
    expect(await read(id, await service.newAccount())).toEqual([404, 'MESSAGE_NOT_FOUND']);
    expect(await read(NOBODY)).toEqual([404, 'MESSAGE_NOT_FOUND']);
    expect(await read('nonsense')).toEqual([400, 'VALIDATION_FAILED']);
    await client.delete(`/gateway/devices/${device}`);
    expect(await read(id)).toEqual([404, 'MESSAGE_NOT_FOUND']);
    const found = await client.get(`/gateway/messages/${id}?includeDeletedDevices=true`);
    expect(found.body).toMatchObject({
      data: { _id: id, device: { _id: device, deletedAt: expect.any(String) as string } },
    });
    const strange = await client.get(`/gateway/messages/${id}?includeDeletedDevices=maybe`);
    expect(strange.status).toBe(400);
  });
});
