import { type Document } from 'bson';

/** A plan node of `EXPLAIN (FORMAT JSON)`. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Total Time'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function isPlanNode(value: unknown): value is PlanNode {
  return typeof value === 'object' && value !== null && 'Node Type' in value;
}

function planOf(answer: unknown): PlanNode {
  const first: unknown = Array.isArray(answer) ? answer[0] : undefined;
  const plan: unknown =
    typeof first === 'object' && first !== null && 'Plan' in first ? first.Plan : undefined;
  if (isPlanNode(plan)) return plan;
  throw new TypeError('PostgreSQL returned no plan.');
}

/** PostgreSQL nodes with an equivalent MongoDB stage. */
const STAGES: Readonly<Record<string, string>> = {
  'Seq Scan': 'COLLSCAN',
  'Index Scan': 'IXSCAN',
  'Index Only Scan': 'IXSCAN',
  'Bitmap Index Scan': 'IXSCAN',
  'Bitmap Heap Scan': 'FETCH',
  Sort: 'SORT',
  'Incremental Sort': 'SORT',
  Limit: 'LIMIT',
  Aggregate: 'GROUP',
};

/** Nodes that only wrap another one. */
const TRANSPARENT: ReadonlySet<string> = new Set(['Custom Scan', 'Subquery Scan', 'Result', 'ProjectSet']);

/** Collections are ordered by _id: an unbounded scan of that index reads all documents. */
function walksAll(node: PlanNode): boolean {
  return node['Index Name'] === '_id_' && !(node['Index Cond'] ?? '').includes('object_id');
}

function stageOf(node: PlanNode): Document {
  if (walksAll(node)) return { stage: 'COLLSCAN' };
  const inputs = (node.Plans ?? []).map(stageOf);
  const [only] = inputs;
  if (TRANSPARENT.has(node['Node Type']) && only !== undefined && inputs.length === 1) return only;
  const stage: Document = { stage: STAGES[node['Node Type']] ?? node['Node Type'].toUpperCase() };
  if (node['Index Name'] !== undefined) stage.indexName = node['Index Name'];
  if (inputs.length === 1) stage.inputStage = only;
  else if (inputs.length > 1) stage.inputStages = inputs;
  // An index scan also reads the documents, which MongoDB shows as a FETCH stage.
  return node['Node Type'] === 'Index Scan' ? { stage: 'FETCH', inputStage: stage } : stage;
}

/** The reply to `explain` in MongoDB's format, with PostgreSQL's plan in `postgres`. */
export function explainReply(namespace: string, answer: unknown, ran: boolean): Document {
  const plan = planOf(answer);
  const winningPlan = stageOf(plan);
  const executionStats = {
    executionSuccess: true,
    nReturned: plan['Actual Rows'] ?? 0,
    executionTimeMillis: Math.round(plan['Actual Total Time'] ?? 0),
    executionStages: winningPlan,
  };
  return {
    explainVersion: '1',
    queryPlanner: { namespace, winningPlan, rejectedPlans: [] },
    ...(ran ? { executionStats } : {}),
    postgres: answer,
    ok: 1,
  };
}
