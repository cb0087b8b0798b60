import { Types } from 'mongoose';
import type { MovableState } from '../routing/message-moves.repository';
import { MOVE_REFUSAL_TEXTS, MOVE_REFUSALS, moveRefusalOf } from './move-refusal';

const [HERE, THERE] = [new Types.ObjectId(), new Types.ObjectId()];
const message = (fields: Partial<MovableState> = {}): MovableState => ({
  _id: new Types.ObjectId(),
  direction: 'sent',
  status: 'pending',
  device: HERE,
  smsBatch: new Types.ObjectId(),
  ...fields,
});
const to = { _id: THERE, supportsEncryption: false };

describe('moveRefusalOf', () => {
  it.each<[string | undefined, MovableState | undefined]>([
    ['MESSAGE_NOT_FOUND', undefined],
    ['MESSAGE_NOT_FOUND', message({ direction: 'received', status: 'received' })],
    ['MESSAGE_NOT_FOUND', message({ deletedAt: new Date(), status: 'failed' })],
    ['MESSAGE_HANDED_OVER', message({ status: 'dispatched' })],
    ['MESSAGE_HANDED_OVER', message({ status: 'unknown' })],
    ['MESSAGE_HANDED_OVER', message({ status: 'dispatched', device: THERE })],
    ['MESSAGE_SETTLED', message({ status: 'sent' })],
    ['MESSAGE_SETTLED', message({ status: 'delivered' })],
    ['MESSAGE_SETTLED', message({ status: 'failed' })],
    ['MESSAGE_BEING_HANDED_OVER', message({ pushStartedAt: new Date() })],
    ['MESSAGE_BEING_HANDED_OVER', message({ pushStartedAt: new Date(), encryptedMessage: 'A' })],
    ['ENCRYPTION_NOT_SUPPORTED', message({ encryptedMessage: 'A' })],
    [undefined, message({ device: THERE })],
  ])('is %s', (refusal, state) => {
    expect(moveRefusalOf(state, to)).toBe(refusal);
  });

  it('has a sentence for each', () => {
    expect(Object.keys(MOVE_REFUSAL_TEXTS)).toEqual([...MOVE_REFUSALS]);
  });
});
