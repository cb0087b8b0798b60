import { Types } from 'mongoose';
import { asRead, claimInTurn, type MessageClaim } from './message-claim';

const [PHONE, OTHER_PHONE] = [new Types.ObjectId(), new Types.ObjectId()];
const USER = new Types.ObjectId();

const claimOf = (id: Types.ObjectId, device: Types.ObjectId): MessageClaim => ({
  id,
  user: USER,
  device,
  dispatchAttempts: 0,
});

describe('asRead', () => {
  const [first, second] = [new Types.ObjectId(), new Types.ObjectId()];
  const neverMoved = { movedFrom: { $exists: false } };

  it('names no message and no phone if all were read alike', () => {
    expect(asRead([claimOf(first, PHONE), claimOf(second, OTHER_PHONE)])).toEqual({
      dispatchAttempts: { $exists: false },
      ...neverMoved,
    });
  });

  it('names the messages with other attempts, or another move', () => {
    const at = new Date(1);
    const moved = { ...claimOf(second, OTHER_PHONE), dispatchAttempts: 2, movedFrom: { device: PHONE, at } };
    expect(asRead([claimOf(first, PHONE), moved])).toEqual({
      $or: [
        { _id: { $in: [first] }, dispatchAttempts: { $exists: false }, ...neverMoved },
        { _id: { $in: [second] }, dispatchAttempts: 2, 'movedFrom.device': PHONE, 'movedFrom.at': at },
      ],
    });
  });
});

describe('claims that are written together', () => {
  const [first, second] = [new Types.ObjectId(), new Types.ObjectId()];

  /** Claims as the database does: messages that are free, for the phone at which they are. */
  function claimerAt(phone: Types.ObjectId) {
    const claimed = new Set<string>();
    const writes: string[][] = [];
    const claim = (messages: readonly MessageClaim[]) => {
      writes.push(messages.map(({ id }) => String(id)));
      const free = messages.filter(({ id, device }) => !claimed.has(String(id)) && device.equals(phone));
      for (const { id } of free) claimed.add(String(id));
      return Promise.resolve(free.map(({ id }) => id));
    };
    return { claim, writes };
  }

  it('are one write if no message occurs twice', async () => {
    const { claim, writes } = claimerAt(PHONE);
    const requests = [{ messages: [claimOf(first, PHONE)] }, { messages: [claimOf(second, PHONE)] }];
    expect(await claimInTurn(requests, claim)).toEqual([new Set([String(first)]), new Set([String(second)])]);
    expect(writes).toHaveLength(1);
  });

  it('give a message of two runs of a wave to the first of them', async () => {
    const { claim, writes } = claimerAt(PHONE);
    const run = { messages: [claimOf(first, PHONE), claimOf(second, PHONE)] };
    expect(await claimInTurn([run, run], claim)).toEqual([new Set([first, second].map(String)), new Set()]);
    expect(writes).toHaveLength(1);
  });

  it('give a message that was moved between their reads to the run that has read where it is now', async () => {
    const { claim } = claimerAt(OTHER_PHONE);
    const stale = { messages: [claimOf(first, PHONE)] };
    const current = { messages: [claimOf(first, OTHER_PHONE), claimOf(second, OTHER_PHONE)] };
    expect(await claimInTurn([stale, current], claim)).toEqual([
      new Set(),
      new Set([first, second].map(String)),
    ]);
  });
});
