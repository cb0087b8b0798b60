import type { PipelineStage, Types } from 'mongoose';

/** Bounds the memory of a page. */
const MAX_INLINE_BYTES = 8 * 1024;

const LARGE_DOCUMENT_BATCH_SIZE = 4;

/** A placeholder for a document of a list that is too large to load with the page. */
export type LargeDocument<Document extends { _id: Types.ObjectId }, Field extends keyof Document> = Pick<
  Document,
  Field | '_id'
> & { readonly isLarge: true };

/**
 * Pipeline stage that replaces documents of more than 8 KB with a `LargeDocument`.
 * @param fields of a large document that are kept, beside its id.
 */
export function projectLargeDocuments(fields: readonly string[]): PipelineStage.ReplaceWith {
  const kept = Object.fromEntries(['_id', ...fields].map((field) => [field, `$${field}`]));
  const isSmall = { $lte: [{ $bsonSize: '$$ROOT' }, MAX_INLINE_BYTES] };
  return { $replaceWith: { $cond: [isSmall, '$$ROOT', { ...kept, isLarge: true }] } };
}

export function isLargeDocument(listed: object): listed is { readonly isLarge: true } {
  return 'isLarge' in listed && listed.isLarge === true;
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
  for (let start = 0; start < listed.length; start += LARGE_DOCUMENT_BATCH_SIZE) {
    const batch = listed.slice(start, start + LARGE_DOCUMENT_BATCH_SIZE);
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
