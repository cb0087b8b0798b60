import { Types } from 'mongoose';
import { notMoved } from './not-moved';

const id = () => new Types.ObjectId();

describe('notMoved', () => {
  const [user, pool] = [id(), id()];
  const neverMoved = { movedFrom: { $exists: false } };

  it('names no message if all are without a pool and were never moved', () => {
    expect(notMoved([1, 2].map(() => ({ _id: id(), user })))).toEqual({ $and: [neverMoved] });
  });

  it('requires the pool, and the last move, of each message', () => {
    const movedFrom = { device: id(), at: new Date(1) };
    const [plain, moved, pooled] = [
      { _id: id(), user },
      { _id: id(), user, movedFrom },
      { _id: id(), user, pool, movedFrom },
    ];
    const lastMoveIs = { 'movedFrom.device': movedFrom.device, 'movedFrom.at': movedFrom.at };
    expect(notMoved([plain, moved, pooled])).toEqual({
      $and: [
        {
          $or: [
            { _id: { $in: [plain._id] }, ...neverMoved },
            { _id: { $in: [moved._id] }, ...lastMoveIs },
            { _id: { $in: [pooled._id] }, pool: { $exists: true }, ...lastMoveIs },
          ],
        },
      ],
    });
  });

  it('matches nothing without messages', () => {
    expect(notMoved([])).toEqual({ $and: [{ _id: { $in: [] } }] });
  });
});
