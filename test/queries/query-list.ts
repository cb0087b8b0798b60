import type { mongo } from 'mongoose';
import type { Lookup } from './lookup';
import type { Plan } from './plan';

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
  reasons: { readonly readsAll: Reasons; readonly sorts: Reasons },
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
            ...(index.name === '_id_' ? idLines : queryLines)(queries, reasons.sorts),
          ];
        });
      const unserved = queryLines(
        own.filter(({ plan }) => plan.readsAll),
        reasons.readsAll,
      );
      return [
        `### ${collection}`,
        '',
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
  const ways = group(lookups, ({ conditions, sort }) => {
    const [id = 'in order'] = conditions.filter((condition) => condition.split(' ')[0] === '_id');
    return `  - \`${id}\`${sort.length > 0 ? ', in pages' : ''}`;
  });
  return [...ways].map(([way, alike]) => {
    const methods = [...new Set(alike.map(({ by }) => `\`${by}\``))].sort();
    return `${way}: ${methods.join(', ')}`;
  });
}

/** One line per method and sort; optional conditions are in brackets. */
function queryLines(lookups: readonly PlannedLookup[], reasons: Reasons): string[] {
  const ways = group(lookups, ({ by, operation, sort, plan }) => {
    const order = sort.map((field) => field.replace('-', '')).join(', ');
    return JSON.stringify([by, operation, order, plan.sorts || plan.readsAll]);
  });
  return [...ways].map(([way, alike]) => {
    const [by, operation, order, needsReason] = JSON.parse(way) as [string, string, string, boolean];
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
    ]
      .filter(Boolean)
      .join('');
  });
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
