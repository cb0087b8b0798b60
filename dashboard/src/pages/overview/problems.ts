import type { ProblemResponse as Problem } from '../../../generated';

export type { Problem };

/** Problems of one kind; the first are the worst. */
export interface ProblemGroup {
  readonly code: Problem['code'];
  readonly severity: Problem['severity'];
  readonly problems: readonly [Problem, ...Problem[]];
}

/** What needs repair, and what is as its owner has set it. */
export const bySort = (problems: readonly Problem[]) => ({
  faults: problems.filter(({ severity }) => severity !== 'info'),
  notes: problems.filter(({ severity }) => severity === 'info'),
});

/** Groups what is wrong by kind, errors first, in the order of the API. */
export function groupProblems(problems: readonly Problem[]): ProblemGroup[] {
  const groups = new Map<Problem['code'], [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const group = groups.get(problem.code);
    if (group) group.push(problem);
    else groups.set(problem.code, [problem]);
  }
  return [...groups].map(([code, group]) => ({ code, severity: group[0].severity, problems: group }));
}

/** Where a problem is fixed. */
export type Remedy =
  | {
      readonly to: '/phones/$id' | '/webhooks/$id' | '/pools/$id';
      readonly id: string;
      readonly sim?: string;
    }
  | { readonly to: '/account' | '/operations' | '/phones' | '/loop-test'; readonly isPairing?: true };

/** The pages that a link leads to, as the names of its texts. */
export type RemedyName =
  'phone' | 'phones' | 'sim' | 'webhook' | 'pool' | 'account' | 'operations' | 'pair' | 'loopTest';

/**
 * @param deviceOfSim the phone that a SIM is in.
 * @returns undefined if the person has no page where it can be fixed.
 */
export function remedyOf(
  { code, subject: { type, id } }: Pick<Problem, 'code' | 'subject'>,
  deviceOfSim: (sim: string) => string | undefined,
  isOperator: boolean,
): { readonly name: RemedyName; readonly target: Remedy } | undefined {
  if (code === 'no_phone') return { name: 'pair', target: { to: '/phones', isPairing: true } };
  if (code === 'no_enabled_phone') return { name: 'phones', target: { to: '/phones' } };
  if (code === 'loop_test_failed') return { name: 'loopTest', target: { to: '/loop-test' } };
  if (type === 'account') return { name: 'account', target: { to: '/account' } };
  if (type === 'service')
    return isOperator ? { name: 'operations', target: { to: '/operations' } } : undefined;
  if (id === undefined) return undefined;
  if (type === 'sim') {
    const device = deviceOfSim(id);
    const target: Remedy = device ? { to: '/phones/$id', id: device, sim: id } : { to: '/phones' };
    return { name: 'sim', target };
  }
  if (type === 'device') return { name: 'phone', target: { to: '/phones/$id', id } };
  return { name: type, target: { to: type === 'webhook' ? '/webhooks/$id' : '/pools/$id', id } };
}
