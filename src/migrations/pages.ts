import type { mongo } from 'mongoose';

/** Yields the documents of a collection in the order of their ids, up to `size` at a time. */
export async function* pagesOf<Stored extends { readonly _id: mongo.ObjectId }>(
  db: mongo.Db,
  collection: string,
  size: number,
  projection: Readonly<Record<string, 1>> = { _id: 1 },
): AsyncGenerator<Stored[]> {
  let after: mongo.ObjectId | undefined;
  for (;;) {
    const page: Stored[] = await db
      .collection(collection)
      .find<Stored>(after ? { _id: { $gt: after } } : {}, { projection })
      .sort({ _id: 1 })
      .limit(size)
      .toArray();
    yield page;
    after = page.at(-1)?._id;
    if (page.length < size) return;
  }
}
