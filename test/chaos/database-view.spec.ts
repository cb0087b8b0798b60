import { TestService } from '../support/service';
import { DatabaseView } from './database-view';

describe('the view of the chaos test of the database', () => {
  it('takes an upload for stored again after its message was removed, and not after its creation time moved', async () => {
    const service = await TestService.start();
    const { MONGODB_URI = '', MONGODB_DATABASE = '' } = service.environment;
    const view = await DatabaseView.open(MONGODB_URI, MONGODB_DATABASE);
    try {
      const client = await service.newAccount();
      const device = await client.newDevice();
      const upload = () =>
        client.post(`/gateway/devices/${device}/receive-sms`, {
          sender: '+447700900123',
          message: 'Hi',
          fingerprint: 'one',
        });
      const timesStored = async () => (await view.messages()).map((message) => message.timesStored);
      const messages = service.collection('messages');

      await upload().expect(200);
      expect(await timesStored()).toEqual([1]);
      // The service moves the creation time of a message that was written slowly, as this one seems to have been.
      await messages.updateMany({}, { $set: { createdAt: new Date(Date.now() - 10_000) } });
      await upload().expect(200);
      expect(await timesStored()).toEqual([1]);

      await messages.deleteMany({});
      await upload().expect(200);
      expect(await timesStored()).toEqual([2]);
    } finally {
      await view.close();
      await service.stop();
    }
  });
});
