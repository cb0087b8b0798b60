import { Types } from 'mongoose';
import { conditionPerDocument } from './condition-per-document';

describe('conditionPerDocument', () => {
  const item = (value: number) => ({ id: new Types.ObjectId(), value });
  const [first, second, third] = [item(1), item(2), item(3)];
  const conditionOf = (...items: ReturnType<typeof item>[]) =>
    conditionPerDocument(
      items,
      ({ id }) => id,
      ({ value }) => String(value % 2),
      ({ value }) => ({ isOdd: value % 2 === 1 }),
    );

  it('names no document if all have the same condition', () => {
    expect(conditionOf(first, third)).toEqual({ isOdd: true });
  });

  it('names the documents of each condition if there are several', () => {
    expect(conditionOf(first, second, third)).toEqual({
      $or: [
        { _id: { $in: [first.id, third.id] }, isOdd: true },
        { _id: { $in: [second.id] }, isOdd: false },
      ],
    });
  });

  it('matches nothing without documents', () => {
    expect(conditionOf()).toEqual({ _id: { $in: [] } });
  });
});
