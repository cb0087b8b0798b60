import { TestClient } from '../support/client';
import { TestService } from '../support/service';

interface SizedJson {
  readonly _id: string;
  readonly segments?: number;
  readonly parts?: number;
  readonly encoding?: string;
  readonly smsBatchId: string;
}

const TO = { recipients: ['+4915112345678'] };
const CYRILLIC = 'я'.repeat(71);

describe('the size of messages', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice({ supportsEncryption: true });
  });
  afterAll(() => service.stop());

  const send = async (path: string, body: object, key = '') => {
    const answer = await client.post(`/gateway/${path}`, body).set(key ? { 'idempotency-key': key } : {});
    expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([
      200,
      key === 'again' ? 'true' : undefined,
    ]);
    return (answer.body as { data: SizedJson }).data;
  };
  const listed = async () => ((await client.get('/gateway/messages')).body as { data: SizedJson[] }).data;

  it('is in the answer of a send, of one message and of all', async () => {
    const recipients = ['+4915112345678', '+4915112345679', '+4915112345679'];
    const one = await send('send-sms', { message: CYRILLIC, recipients });
    expect(one).toMatchObject({ recipientCount: 3, segments: 2, parts: 6, encoding: 'UCS-2' });
    const legacy = await send('send-sms', { smsBody: 'Hi', receivers: recipients });
    expect(legacy).toMatchObject({ segments: 1, parts: 3, encoding: 'GSM-7' });
    const messages = [
      { ...TO, message: CYRILLIC },
      { recipients, message: 'Hello' },
    ];
    const mixed = await send('send-bulk-sms', { messages });
    expect(mixed).toMatchObject({ recipientCount: 4, parts: 5 });
    expect(mixed).not.toHaveProperty('encoding');
    expect(mixed).not.toHaveProperty('segments');
    const same = [
      { ...TO, message: 'a'.repeat(161) },
      { recipients, message: 'a'.repeat(161) },
    ];
    expect(await send('send-bulk-sms', { messages: same })).toMatchObject({ segments: 2, parts: 8 });
  });

  it('is the same in the answer to a repeated send', async () => {
    const body = {
      messages: [
        { ...TO, message: 'a'.repeat(161) },
        { ...TO, message: CYRILLIC },
      ],
    };
    const first = await client.post('/gateway/send-bulk-sms', body).set('idempotency-key', 'again');
    expect(await send('send-bulk-sms', body, 'again')).toEqual((first.body as { data: SizedJson }).data);
    expect(first.body).toMatchObject({ data: { parts: 4 } });
  });

  it('is on every sent and received message', async () => {
    const { smsBatchId } = await send('send-sms', { ...TO, message: CYRILLIC });
    const upload = { sender: '+4930123456', message: 'a'.repeat(161) };
    expect((await client.post(`/gateway/devices/${device}/receive-sms`, upload)).status).toBe(200);
    const sizes = [
      { direction: 'received', segments: 2, encoding: 'GSM-7' },
      { direction: 'sent', segments: 2, encoding: 'UCS-2' },
    ];
    expect(await listed()).toMatchObject(sizes);
    const ofDevice = await client.get(`/gateway/devices/${device}/messages`);
    expect(ofDevice.body).toMatchObject({ data: sizes });
    const { messages } = await client.batch(device, smsBatchId);
    expect(messages).toMatchObject([sizes[1]]);
    expect(await client.message(device, messages[0]?._id ?? '')).toMatchObject(sizes[1] ?? {});
  });

  it('is absent if a text is encrypted', async () => {
    const secret = { ...TO, encrypted: true, encryptedMessage: 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==' };
    const answers = [
      await send('send-sms', secret),
      await send('send-bulk-sms', { messages: [{ ...TO, message: 'Hello' }, secret] }),
    ];
    const upload = { sender: '+4930123456', ...secret, recipients: undefined };
    expect((await client.post(`/gateway/devices/${device}/receive-sms`, upload)).status).toBe(200);
    const messages = await listed();
    const encrypted = messages.filter((message) => 'encrypted' in message);
    expect([messages.length, encrypted.length]).toEqual([4, 3]);
    for (const each of [...answers, ...encrypted]) {
      expect(each).not.toHaveProperty('segments');
      expect(each).not.toHaveProperty('parts');
      expect(each).not.toHaveProperty('encoding');
    }
  });
});
