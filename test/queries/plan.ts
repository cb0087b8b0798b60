/** How a database carries a query out. */
export interface Plan {
  /** The names of the indexes it reads. */
  readonly indexes: readonly string[];
  /** Whether it reads every document of the collection. */
  readonly readsAll: boolean;
  /** Whether it has to find all documents and sort them before it can give the first. */
  readonly sorts: boolean;
}

/** What an answer tells besides the plan that is taken. */
const BESIDES: ReadonlySet<string> = new Set([
  'rejectedPlans',
  'executionStats',
  'slotBasedPlan',
  'parsedQuery',
  'command',
  'postgres',
]);

/** Stages that look up by `_id` without naming its index. */
const BY_ID: readonly unknown[] = ['IDHACK', 'EXPRESS_CLUSTERED_IXSCAN', 'CLUSTERED_IXSCAN'];

/**
 * Reads the answer to `explain`. Its form differs between versions, engines and commands; stages are called the same in
 * all of them, so they are picked up wherever they stand.
 * @throws TypeError when there is no stage in it
 */
export function readPlan(answer: unknown): Plan {
  const stages = stagesIn(answer);
  if (stages.length === 0) throw new TypeError('The database told no plan');
  const is = (name: string) => stages.some(({ stage }) => stage === name);
  const indexes = stages.flatMap(({ stage, indexName }) => {
    if (BY_ID.includes(stage)) return ['_id_'];
    return typeof indexName === 'string' ? [indexName] : [];
  });
  return {
    indexes: [...new Set(indexes)].sort(),
    readsAll: is('COLLSCAN'),
    sorts: is('SORT') || stages.some((stage) => '$sort' in stage),
  };
}

function stagesIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(stagesIn);
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries(value).filter(([name]) => !BESIDES.has(name));
  const inner = fields.flatMap(([, field]) => stagesIn(field));
  const isStage = 'stage' in value || '$sort' in value;
  return isStage ? [value, ...inner] : inner;
}
