import { Types } from 'mongoose';
import { notMoved } from './not-moved';

const id = () => new Types.ObjectId();

describe('notMoved', () => {
  const [a, b, pool] = [id(), id(), id()];

  it('names the phone of messages without a pool, once if it is the same', () => {
    const messages = [
      { _id: id(), device: a },
      { _id: id(), device: a },
    ];
    expect(notMoved(messages)).toEqual({ $and: [{ device: a }] });
  });

  it('names the messages of each phone if there are several, and lets those of a pool have any phone', () => {
    const [one, two, pooled] = [
      { _id: id(), device: a },
      { _id: id(), device: b },
      { _id: id(), device: a, pool },
    ];
    expect(notMoved([one, two, pooled])).toEqual({
      $and: [
        {
          $or: [
            { device: a, _id: { $in: [one._id] } },
            { device: b, _id: { $in: [two._id] } },
            { pool: { $exists: true }, _id: { $in: [pooled._id] } },
          ],
        },
      ],
    });
    expect(notMoved([pooled])).toEqual({ $and: [{ pool: { $exists: true } }] });
  });

  it('matches nothing without messages', () => {
    expect(notMoved([])).toEqual({ $and: [{ _id: { $in: [] } }] });
  });
});
