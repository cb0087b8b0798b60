import type { PipelineStage, Types } from 'mongoose';

/** Bounds the memory of a page. */
const MAX_INLINE_BYTES = 8 * 1024;

/** Documents are loaded together up to this size, or alone, because decoding them delays other requests. */
const MAX_BATCH_BYTES = 32 * 1024;

/** A placeholder for a document of a list that is too large to load with the page. */
export type LargeDocument<Document extends { _id: Types.ObjectId }, Field extends keyof Document> = Pick<
  Document,
  Field | '_id'
> & { readonly documentBytes: number };

/**
 * Pipeline stage that replaces documents of more than 8 KB with a `LargeDocument`.
 * @param fields of a large document that are kept, beside its id.
 */
export function projectLargeDocuments(fields: readonly string[]): PipelineStage.ReplaceWith {
  const kept = Object.fromEntries(['_id', ...fields].map((field) => [field, `$${field}`]));
  const isSmall = { $lte: [{ $bsonSize: '$$ROOT' }, MAX_INLINE_BYTES] };
  return {
    $replaceWith: { $cond: [isSmall, '$$ROOT', { ...kept, documentBytes: { $bsonSize: '$$ROOT' } }] },
  };
}

interface Large {
  readonly documentBytes: number;
}

const isLargeDocument = (listed: object): listed is Large => 'documentBytes' in listed;

/** Whether all documents of a list were loaded with it. */
export function areAllLoaded<Listed extends object>(listed: Listed[]): listed is Exclude<Listed, Large>[] {
  return !listed.some(isLargeDocument);
}

/**
 * Yields the documents of a list in order, and loads the large ones in small batches on the way. Skips a document that was
 * deleted meanwhile.
 * @param loadLarge loads documents by id, in any order.
 */
export async function* expandLargeDocuments<
  Document extends { _id: Types.ObjectId },
  Field extends keyof Document,
>(
  listed: readonly (Document | LargeDocument<Document, Field>)[],
  loadLarge: (ids: Types.ObjectId[]) => Promise<Document[]>,
): AsyncGenerator<Document> {
  for (const batch of batchesOf(listed)) {
    const ids = batch.filter(isLargeDocument).map(({ _id }) => _id);
    const large = new Map<string, Document>();
    if (ids.length > 0)
      for (const document of await loadLarge(ids)) large.set(String(document._id), document);
    for (const item of batch) {
      const id = String(item._id);
      const document = isLargeDocument(item) ? large.get(id) : item;
      large.delete(id);
      if (document) yield document;
    }
  }
}

/** Splits a list so that the large documents of a batch are of at most `MAX_BATCH_BYTES`, or one. */
function* batchesOf<Listed extends object>(listed: readonly Listed[]): Generator<Listed[]> {
  let batch: Listed[] = [];
  let bytes = 0;
  for (const item of listed) {
    const size = isLargeDocument(item) ? item.documentBytes : 0;
    if (bytes > 0 && bytes + size > MAX_BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
