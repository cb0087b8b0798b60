import type { mongo } from 'mongoose';
import { SHARD_KEYS } from '../../src/infrastructure/mongo/shard-keys';
import type { Lookup } from './lookup';
import type { Plan } from './plan';
import { routingOf } from './shard-routing';

export interface PlannedLookup extends Lookup {
  readonly plan: Plan;
}

export interface StoredIndex {
  readonly collection: string;
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly unique?: boolean;
  readonly expireAfterSeconds?: number;
  readonly partialFilterExpression?: mongo.BSON.Document;
}

/** The reasons for exceptions by method. */
export type Reasons = Readonly<Record<string, string>>;

/** Lists all indexes and their queries by collection, in Markdown. */
export function writeQueryList(
  indexes: readonly StoredIndex[],
  lookups: readonly PlannedLookup[],
  reasons: { readonly readsAll: Reasons; readonly sorts: Reasons; readonly scattered: Reasons },
): string {
  const collections = [...new Set(indexes.map(({ collection }) => collection))].sort();
  return collections
    .flatMap((collection) => {
      const own = lookups.filter((lookup) => lookup.collection === collection);
      const served = indexes
        .filter((index) => index.collection === collection)
        .flatMap((index) => {
          const queries = own.filter(({ plan }) => plan.indexes[0] === index.name);
          return [
            indexLine(index),
            ...(index.name === '_id_'
              ? idLines(queries)
              : queryLines(queries, reasons.sorts, reasons.scattered)),
          ];
        });
      const unserved = queryLines(
        own.filter(({ plan }) => plan.readsAll),
        reasons.readsAll,
        reasons.scattered,
      );
      return [
        `### ${collection}`,
        '',
        ...shardingLines(collection),
        ...served,
        ...(unserved.length > 0 ? ['- None', ...unserved] : []),
        '',
      ];
    })
    .join('\n');
}

function indexLine({ key, unique, expireAfterSeconds, partialFilterExpression }: StoredIndex): string {
  const fields = Object.entries(key).map(([field, direction]) => (direction < 0 ? `-${field}` : field));
  const marks = [
    ...(unique ? ['unique'] : []),
    ...(expireAfterSeconds === undefined ? [] : ['documents are removed when it has come']),
    ...(partialFilterExpression ? [`only where \`${JSON.stringify(partialFilterExpression)}\``] : []),
  ];
  return `- **\`${fields.join(', ')}\`**${marks.map((mark) => `, ${mark}`).join('')}`;
}

/** Lookups by id need no further index. */
function idLines(lookups: readonly PlannedLookup[]): string[] {
  const ways = group(lookups, ({ collection, conditions, sort }) => {
    const isSharded = collection in SHARD_KEYS;
    const named = ['user', '_id'].flatMap((field) =>
      conditions.filter((condition) => condition.split(' ')[0] === field && (field === '_id' || isSharded)),
    );
    return `  - \`${named.join(', ') || 'in order'}\`${sort.length > 0 ? ', in pages' : ''}`;
  });
  return [...ways].map(([way, alike]) => {
    const methods = [...new Set(alike.map(({ by }) => `\`${by}\``))].sort();
    return `${way}: ${methods.join(', ')}`;
  });
}

/** One line per method and sort; optional conditions are in brackets. */
function queryLines(lookups: readonly PlannedLookup[], reasons: Reasons, scattered: Reasons): string[] {
  const ways = group(lookups, (lookup) => {
    const { by, operation, sort, plan } = lookup;
    const order = sort.map((field) => field.replace('-', '')).join(', ');
    return JSON.stringify([by, operation, order, plan.sorts || plan.readsAll, asksAllShards(lookup)]);
  });
  return [...ways].map(([way, alike]) => {
    const [by, operation, order, needsReason, isScattered] = JSON.parse(way) as [
      string,
      string,
      string,
      boolean,
      boolean,
    ];
    const conditions = alike.map((lookup) => new Set(lookup.conditions));
    const always = [...(conditions[0] ?? [])].filter((each) => conditions.every((all) => all.has(each)));
    const sometimes = [...new Set(conditions.flatMap((all) => [...all]))].filter(
      (each) => !always.includes(each),
    );
    const asked = [...always.map((each) => `\`${each}\``), ...sometimes.map((each) => `[\`${each}\`]`)];
    return [
      `  - \`${by}\`: ${operation} ${asked.join(', ') || 'all'}`,
      order && `, sorted by \`${order}\``,
      needsReason && ` — ${reasons[by] ?? 'for no reason that is given'}`,
      isScattered && `, all shards: ${scattered[`${by}: ${operation}`] ?? 'for no reason that is given'}`,
    ]
      .filter(Boolean)
      .join('');
  });
}

function shardingLines(collection: string): string[] {
  const key = SHARD_KEYS[collection];
  if (!key) return [];
  const fields = Object.entries(key).map(([field, kind]) =>
    kind === 'hashed' ? `${field} (hashed)` : field,
  );
  return [`Sharded by \`${fields.join(', ')}\`.`, ''];
}

function asksAllShards(lookup: Lookup): boolean {
  const key = SHARD_KEYS[lookup.collection];
  return key !== undefined && routingOf(lookup, key) === 'scattered';
}

function group<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const members = groups.get(key);
    if (members) members.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
