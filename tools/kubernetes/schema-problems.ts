import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import type { Manifest } from './kustomization';

interface Model {
  readonly apiVersion: string;
  readonly kind: string;
  readonly prototype: { validate(): void };
}

const MODELS: readonly Model[] = [
  Deployment,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Secret,
  Service,
];

/** Violations of the schema of the manifest's kind, among them fields that it does not have. */
export function schemaProblems(manifest: Manifest): string[] {
  const model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind,
  );
  if (!model) return [`has no schema: ${manifest.apiVersion} ${manifest.kind}`];
  const reads = new Set<string>();
  const violations = violationsOf(() => {
    model.prototype.validate.call(recordReads(manifest, '', reads));
  });
  return [...violations, ...unreadFields(manifest, '', reads).map((path) => `${path} is unknown`)];
}

function violationsOf(validate: () => void): string[] {
  try {
    validate();
    return [];
  } catch (failure) {
    if (!(failure instanceof Error && 'errors' in failure)) throw failure;
    const errors = failure.errors as readonly { instancePath: string; message?: string }[];
    return errors.map(({ instancePath, message }) => `${instancePath} ${message ?? 'is invalid'}`);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The schemas accept unknown fields, as the API server does by default; they read each field that they know. */
function recordReads<T extends object>(value: T, path: string, reads: Set<string>): T {
  return new Proxy(value, {
    get(target, key) {
      const read: unknown = Reflect.get(target, key);
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return read;
      reads.add(`${path}/${key}`);
      return isObject(read) ? recordReads(read, `${path}/${key}`, reads) : read;
    },
  });
}

function unreadFields(value: unknown, path: string, reads: ReadonlySet<string>): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    reads.has(`${path}/${key}`) ? unreadFields(field, `${path}/${key}`, reads) : [`${path}/${key}`],
  );
}
