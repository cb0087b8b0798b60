import { Types } from 'mongoose';
import { OwnedLoader } from './owned-loader';

const [user, other] = [{ user: new Types.ObjectId() }, { user: new Types.ObjectId() }];
const documentOf = ({ user: owner }: typeof user) => ({ _id: new Types.ObjectId(), user: owner });

describe('OwnedLoader', () => {
  it('reads what concurrent callers need once, and gives an account no document of another', async () => {
    const [own, shared, foreign] = [documentOf(user), documentOf(user), documentOf(other)];
    const stored = [foreign, own, shared];
    const reads: string[][] = [];
    const loader = new OwnedLoader((ids) => {
      reads.push(ids.map(String));
      return Promise.resolve(stored.filter(({ _id }) => ids.some((id) => id.equals(_id))));
    });
    const gone = new Types.ObjectId();
    const found = await Promise.all([
      loader.loadMany(user, [shared._id, gone, own._id]),
      loader.loadMany(user, [foreign._id, shared._id]),
      loader.load(user, foreign._id),
      loader.load(other, foreign._id),
    ]);
    expect(found).toEqual([[shared, own], [shared], null, foreign]);
    const ids = [shared._id, gone, own._id, foreign._id].map(String);
    expect(reads.map((read) => [...new Set(read)])).toEqual([ids]);
  });
});
