/** The plan of a query. */
export interface Plan {
  /** The names of the used indexes. */
  readonly indexes: readonly string[];
  /** Whether it scans the collection. */
  readonly readsAll: boolean;
  /** Whether it sorts in memory. */
  readonly sorts: boolean;
}

/** Fields besides the winning plan. */
const BESIDES: ReadonlySet<string> = new Set([
  'rejectedPlans',
  'executionStats',
  'slotBasedPlan',
  'parsedQuery',
  'command',
  'postgres',
]);

/** Stages that use the `_id` index without naming it. */
const BY_ID: readonly unknown[] = ['IDHACK', 'EXPRESS_CLUSTERED_IXSCAN', 'CLUSTERED_IXSCAN'];

/**
 * Reads an explain result. The format differs between versions, engines and commands, but the stage names do not, so all
 * nested stages are collected.
 * @throws TypeError if there are no stages
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
