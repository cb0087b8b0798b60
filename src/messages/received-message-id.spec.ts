import { Types } from 'mongoose';
import { receivedMessageId } from './received-message-id';

const [USER, DEVICE, OTHER] = ['1', '2', '3'].map(
  (digit) => new Types.ObjectId(`64b00000000000000000000${digit}`),
) as [Types.ObjectId, Types.ObjectId, Types.ObjectId];

describe('the id of a received message', () => {
  it('never changes, because messages are stored under it', () => {
    expect(receivedMessageId(USER, DEVICE, 'fingerprint').toHexString()).toBe('b328e4e3390b3636d727ed95');
  });

  it('is another one for another account, phone or upload', () => {
    const ids = [
      receivedMessageId(USER, DEVICE, 'a'),
      receivedMessageId(OTHER, DEVICE, 'a'),
      receivedMessageId(USER, OTHER, 'a'),
      receivedMessageId(USER, DEVICE, 'b'),
    ];
    expect(new Set(ids.map((id) => id.toHexString())).size).toBe(4);
  });
});
