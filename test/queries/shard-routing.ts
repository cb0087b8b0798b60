import type { mongo } from 'mongoose';
import type { ShardKey } from '../../src/infrastructure/mongo/shard-keys';
import type { Lookup } from './lookup';

type Document = mongo.BSON.Document;

/** `targeted`: asks the shards of the named accounts. `scattered`: asks all shards. `refused`: fails on a sharded cluster. */
export type Routing = 'targeted' | 'scattered' | 'refused';

/**
 * Which shards of a collection a lookup asks. Of the rules of MongoDB those of version 6 are used, which later ones relax: an update or
 * deletion of one document needs `_id` or the whole key, `findAndModify` and an upsert need the whole key.
 * https://www.mongodb.com/docs/v6.0/core/sharded-cluster-requirements/
 */
export function routingOf({ filter, write }: Lookup, key: ShardKey): Routing {
  const [first = '', ...others] = Object.keys(key);
  const hasWholeKey = [first, ...others].every((field) => isEquality(filter[field]));
  if (write === 'upsert' || write === 'findAndModify') return hasWholeKey ? 'targeted' : 'refused';
  if (write === 'one' && !hasWholeKey && !isEquality(filter._id)) return 'refused';
  return namesValues(filter, first) ? 'targeted' : 'scattered';
}

/** The fields of a shard key that an update changes. A replacement changes those that it does not repeat. */
export function changedKeyFields(update: Document | readonly Document[], key: ShardKey): string[] {
  const fields = Object.keys(key);
  if (isReplacement(update)) return fields.filter((field) => field !== '_id' && !(field in update));
  const changed = Array.isArray(update) ? update.flatMap(changedByStage) : changedByOperators(update);
  return fields.filter((field) => changed.includes(field));
}

const isReplacement = (update: Document | readonly Document[]): boolean =>
  !Array.isArray(update) && !Object.keys(update).some((name) => name.startsWith('$'));

/** The fields of an insert by an upsert are no change. */
function changedByOperators(update: Document): string[] {
  return Object.entries(update)
    .filter(([operator]) => operator !== '$setOnInsert')
    .flatMap(([, fields]) => rootsOf(fields as Document));
}

function changedByStage(stage: Document): string[] {
  const [[name, value] = ['', {}]] = Object.entries(stage) as [string, unknown][];
  if (name === '$set' || name === '$addFields') return rootsOf(value as Document);
  if (name === '$unset') return [value].flat().map((path) => String(path).split('.', 1).join(''));
  const [merged] = (value as { $mergeObjects?: unknown[] }).$mergeObjects ?? [];
  // What is merged into a document is a typed change, which the compiler keeps free of its key.
  if (name === '$replaceWith' && merged === '$$ROOT') return [];
  throw new RangeError(`Which fields does ${name} change?`);
}

const rootsOf = (fields: Document): string[] =>
  Object.keys(fields).map((path) => path.split('.', 1).join(''));

/** Whether each document that matches has one of the values of the filter in this field. */
function namesValues(filter: Document, field: string): boolean {
  const { [field]: value, $and = [], $or } = filter as Document & { $and?: Document[]; $or?: Document[] };
  return (
    isEquality(value) ||
    (isOperators(value) && '$in' in value) ||
    $and.some((condition) => namesValues(condition, field)) ||
    ($or?.every((condition) => namesValues(condition, field)) ?? false)
  );
}

const isOperators = (value: unknown): value is Document => value?.constructor === Object;

const isEquality = (value: unknown): boolean =>
  value !== undefined && (!isOperators(value) || '$eq' in value);
