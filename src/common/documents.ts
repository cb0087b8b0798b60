import type { Types } from 'mongoose';

interface Identified {
  readonly _id: Types.ObjectId;
}

export const idsOf = (documents: readonly Identified[]): Types.ObjectId[] => documents.map(({ _id }) => _id);

/** The documents by hex id. */
export const byId = <Document extends Identified>(documents: readonly Document[]): Map<string, Document> =>
  new Map(documents.map((document) => [document._id.toHexString(), document]));

/** Each id once. */
export const distinctIds = (ids: readonly Types.ObjectId[]): Types.ObjectId[] => [
  ...new Map(ids.map((id) => [id.toHexString(), id])).values(),
];
