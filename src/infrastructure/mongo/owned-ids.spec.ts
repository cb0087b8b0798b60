import { Types } from 'mongoose';
import { ofAccounts } from './owned-ids';

describe('ofAccounts', () => {
  const [first, second] = [new Types.ObjectId(), new Types.ObjectId()];
  const of = (...users: unknown[]) => ofAccounts(users.map((user) => ({ user: user as Types.ObjectId })));

  it('names an account once, also if others come between its documents', () => {
    expect(of(first, new Types.ObjectId(first))).toEqual({ user: first });
    expect(of(first, second, new Types.ObjectId(first))).toEqual({ user: { $in: [first, second] } });
  });

  it('names the id of an account beside a malformed document', () => {
    expect(of(String(first), first)).toEqual({ user: first });
    expect(of(first, undefined)).toEqual({ user: { $in: [first, undefined] } });
  });
});
