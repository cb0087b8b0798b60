import type { mongo } from 'mongoose';
import type { RecordedCommand } from './recorder';

type Document = mongo.BSON.Document;

/** One lookup in a collection. A command with several writes has several. */
export interface Lookup {
  /** The class and method. */
  readonly by: string;
  readonly collection: string;
  readonly operation: string;
  /** The conditions by field, without values. */
  readonly conditions: readonly string[];
  /** The fields; a minus sign means descending. */
  readonly sort: readonly string[];
  readonly filter: Document;
  /** Of a write of one document, or by `findAndModify`; absent: it reads, or writes all that match. */
  readonly write?: 'one' | 'upsert' | 'findAndModify';
  /** What an update does, as sent. */
  readonly update?: Document | readonly Document[];
  /** A command with the same lookup that can be explained. */
  readonly explainable: Document;
}

/** Fields that the driver adds to a command. */
const ENVELOPE = ['lsid', '$db', '$clusterTime', 'txnNumber', 'readSection', 'writeConcern'];

/** @throws RangeError for an unknown command */
export function extractLookups({ by, command }: RecordedCommand): Lookup[] {
  const own = Object.fromEntries(Object.entries(command).filter(([field]) => !ENVELOPE.includes(field)));
  const [operation, collection] = Object.entries(own)[0] as [string, string];
  const lookup = (filter: Document, sort: unknown, explainable: Document, name = operation): Lookup => ({
    by,
    collection,
    operation: name,
    filter,
    conditions: conditionsOf(filter),
    sort: sortOf(sort),
    explainable,
  });
  switch (operation) {
    case 'find':
      return [lookup(own.filter as Document, own.sort, own)];
    case 'findAndModify': {
      // Not every database can explain it; its lookup is that of a find.
      const { query, sort, update } = own as { query: Document; sort?: Document; update: Document };
      const explainable = { find: collection, filter: query, ...(sort && { sort }), limit: 1 };
      return [{ ...lookup(query, sort, explainable), write: operation, update }];
    }
    case 'aggregate': {
      const stages = own.pipeline as Document[];
      const [{ $match = {} } = {}] = stages as { $match?: Document }[];
      const sort: unknown = stages.find((stage) => '$sort' in stage)?.$sort;
      return [lookup($match, sort, own, isCount(stages) ? 'count' : operation)];
    }
    case 'update':
    case 'delete': {
      const writes = own[`${operation}s`] as Document[];
      return writes.map((write) => {
        const { q, u: update, multi, upsert, limit } = write as SingleWrite;
        const single = { [operation]: collection, [`${operation}s`]: [write] };
        const isOfOne = operation === 'update' ? !multi : limit === 1;
        return {
          ...lookup(q, undefined, single),
          ...(isOfOne && { write: upsert ? 'upsert' : 'one' }),
          ...(update && { update }),
        };
      });
    }
    default:
      throw new RangeError(`How does ${operation} (${by}) look documents up?`);
  }
}

/** A write of the commands `update` and `delete`. */
interface SingleWrite {
  readonly q: Document;
  readonly u?: Document;
  readonly multi?: boolean;
  readonly upsert?: boolean;
  readonly limit?: number;
}

/** Whether the pipeline is that of `countDocuments`. */
function isCount(stages: readonly Document[]): boolean {
  return stages.some(({ $group }) => ($group as Document | undefined)?._id === 1);
}

function sortOf(sort: unknown): string[] {
  const entries = sort instanceof Map ? [...(sort as Map<string, unknown>)] : Object.entries(sort ?? {});
  return entries.map(([field, direction]) => (Number(direction) < 0 ? `-${field}` : field));
}

function conditionsOf(filter: Document): string[] {
  return Object.entries(filter).flatMap(([field, value]: [string, unknown]) => {
    if (field === '$and') return (value as Document[]).flatMap(conditionsOf);
    if (field === '$or') {
      const branches = (value as Document[]).map((branch) => conditionsOf(branch).join(', '));
      return [`(${branches.join(' or ')})`];
    }
    return [[field.replace(/\.\d+/g, '.n'), ...operatorsOf(value)].join(' ')];
  });
}

function isPlain(value: unknown): value is Document {
  return value?.constructor === Object;
}

/** Empty for a plain value. */
function operatorsOf(value: unknown): string[] {
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([operator, operand]: [string, unknown]) => {
    if (operator === '$exists') return [operand === true ? '$exists' : 'missing'];
    if (operator === '$options') return [];
    return operator === '$not' ? [operator, ...operatorsOf(operand)] : [operator];
  });
}
