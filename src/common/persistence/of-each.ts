import type { Types } from 'mongoose';

/**
 * In a pipeline that updates several documents: the expression for what is given for each of them, by its id. One update
 * that carries its data along is planned once by the database, where an update a document is planned for each.
 * @param given for every document that the update's filter finds; taken as data, also where a text begins with a dollar
 * sign.
 */
export function ofEach<Given>(
  given: readonly Given[],
  idOf: (one: Given) => Types.ObjectId,
  valueOf: (one: Given) => object,
) {
  return {
    $arrayElemAt: [
      { $literal: given.map(valueOf) },
      { $indexOfArray: [{ $literal: given.map(idOf) }, '$_id'] },
    ],
  };
}
