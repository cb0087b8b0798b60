import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { type IJob, Job } from 'kubernetes-models/batch/v1/Job';
import type { IContainer } from 'kubernetes-models/v1/Container';

export type Labels = Readonly<Record<string, string>>;

/** What starts pods. */
export type Workload = IDeployment | IJob;

interface Model<T> {
  readonly is: (manifest: unknown) => manifest is T;
}

/** The manifests of a kind. */
export const listKind = <T>(manifests: readonly unknown[], { is }: Model<T>): T[] => manifests.filter(is);

export const listWorkloads = (manifests: readonly unknown[]): Workload[] => [
  ...listKind(manifests, Deployment),
  ...listKind(manifests, Job),
];

export const nameOf = ({ kind, metadata }: { kind: string; metadata?: { name?: string } }): string =>
  `${kind} ${metadata?.name ?? ''}`;

export const podOf = (workload: Workload) => workload.spec?.template;
export const podLabelsOf = (workload: Workload): Labels => podOf(workload)?.metadata?.labels ?? {};
export const containersOf = (workload: Workload): readonly IContainer[] =>
  podOf(workload)?.spec?.containers ?? [];
