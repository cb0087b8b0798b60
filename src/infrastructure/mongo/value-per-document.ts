import type { Types } from 'mongoose';

/**
 * Pipeline expression for the value of each updated document, found by its `_id`: one update with its data is planned once
 * by the database, instead of one plan per document.
 * @param items must include every document that the filter matches; used literally, `$` included.
 */
export function valuePerDocument<Item>(
  items: readonly Item[],
  idOf: (item: Item) => Types.ObjectId,
  valueOf: (item: Item) => unknown,
) {
  return {
    $arrayElemAt: [
      { $literal: items.map(valueOf) },
      { $indexOfArray: [{ $literal: items.map(idOf) }, '$_id'] },
    ],
  };
}
