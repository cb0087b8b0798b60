import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import type { Kustomized, Manifest } from './kustomization';
import {
  containersOf,
  type Labels,
  listKind,
  listWorkloads,
  nameOf,
  podLabelsOf,
  podOf,
  type Workload,
} from './workloads';

type Port = string | number;

const isSelected = (labels: Labels, selector: Labels = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const duplicates = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

/** References between the manifests of a kustomization that lead nowhere. */
export function referenceProblems(kustomized: Kustomized): string[] {
  const { manifests, replicas } = kustomized;
  const workloads = listWorkloads(manifests);
  const deployments = listKind(manifests, Deployment).map(({ metadata }) => metadata?.name);
  return [
    ...duplicates(manifests.map(nameOf)).map((name) => `${name} exists twice`),
    ...listKind(manifests, Secret).map((secret) => `${nameOf(secret)} is applied, with its values`),
    ...manifests.flatMap((manifest) => selectorProblems(manifest, workloads)),
    ...manifests.flatMap((manifest) => portProblems(manifest, workloads)),
    ...manifests.flatMap((manifest) => targetProblems(manifest, manifests)),
    ...replicas.filter((name) => !deployments.includes(name)).map((name) => `there is no Deployment ${name}`),
    ...imageProblems(kustomized),
  ];
}

/** The label selectors of a manifest, and the workloads whose pods they can select. */
function selectorsOf(manifest: unknown, workloads: readonly Workload[]): [Labels, readonly Workload[]][] {
  if (Deployment.is(manifest)) {
    const spreads = podOf(manifest)?.spec?.topologySpreadConstraints ?? [];
    const selectors = [manifest.spec?.selector, ...spreads.map(({ labelSelector }) => labelSelector)];
    return selectors.map((selector) => [selector?.matchLabels ?? {}, [manifest]]);
  }
  if (Service.is(manifest)) return [[manifest.spec?.selector ?? {}, workloads]];
  if (PodDisruptionBudget.is(manifest)) return [[manifest.spec?.selector?.matchLabels ?? {}, workloads]];
  if (NetworkPolicy.is(manifest)) return [[manifest.spec?.podSelector.matchLabels ?? {}, workloads]];
  return [];
}

function selectorProblems(manifest: Manifest, workloads: readonly Workload[]): string[] {
  return selectorsOf(manifest, workloads)
    .filter(([selector, candidates]) => !candidates.some((each) => isSelected(podLabelsOf(each), selector)))
    .map(([selector]) => `${nameOf(manifest)} selects no pod: ${JSON.stringify(selector)}`);
}

/** The ports that a manifest uses, by name or number, and the workloads that must open them. */
function portsUsedBy(manifest: unknown, workloads: readonly Workload[]): [Port, readonly Workload[]][] {
  const selected = (selector?: Labels) => workloads.filter((each) => isSelected(podLabelsOf(each), selector));
  if (Deployment.is(manifest)) {
    return containersOf(manifest)
      .flatMap(({ startupProbe, readinessProbe, livenessProbe }) => [
        startupProbe,
        readinessProbe,
        livenessProbe,
      ])
      .map((probe) => [probe?.httpGet?.port ?? 'of a missing probe', [manifest]]);
  }
  if (Service.is(manifest)) {
    const { ports = [], selector } = manifest.spec ?? {};
    return ports.map(({ port, targetPort = port }) => [targetPort, selected(selector)]);
  }
  if (NetworkPolicy.is(manifest)) {
    const serving = listKind(selected(manifest.spec?.podSelector.matchLabels), Deployment);
    const ports = (manifest.spec?.ingress ?? []).flatMap((rule) => rule.ports ?? []);
    return ports.map(({ port = 0 }) => [port, serving]);
  }
  return [];
}

function portProblems(manifest: Manifest, workloads: readonly Workload[]): string[] {
  const opens = (workload: Workload, port: Port) =>
    containersOf(workload)
      .flatMap(({ ports = [] }) => ports)
      .some(({ name, containerPort }) => port === name || port === containerPort);
  return portsUsedBy(manifest, workloads).flatMap(([port, users]) =>
    users
      .filter((workload) => !opens(workload, port))
      .map((workload) => `${nameOf(manifest)}: ${nameOf(workload)} has no port ${port}`),
  );
}

function targetProblems(manifest: unknown, manifests: readonly Manifest[]): string[] {
  if (ScaledObject.is(manifest)) {
    const { kind = 'Deployment', name } = manifest.spec.scaleTargetRef;
    const exists = manifests.some((each) => each.kind === kind && each.metadata.name === name);
    return exists ? [] : [`${nameOf(manifest)}: there is no ${kind} ${name}`];
  }
  if (!Ingress.is(manifest)) return [];
  const paths = (manifest.spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  return paths.flatMap(({ backend }) => {
    const { name = '', port } = backend.service ?? {};
    const service = listKind(manifests, Service).find(({ metadata }) => metadata?.name === name);
    const exists = service?.spec?.ports?.some((each) => each.name === port?.name);
    return exists
      ? []
      : [`${nameOf(manifest)}: there is no Service ${name} with the port ${port?.name ?? ''}`];
  });
}

function imageProblems({ manifests, images }: Kustomized): string[] {
  const containers = listWorkloads(manifests).flatMap(containersOf);
  const used = new Set(containers.map(({ image = '' }) => image));
  return [
    ...(used.size > 1 ? [`several images are used: ${[...used].join(', ')}`] : []),
    ...images.filter((name) => !used.has(name)).map((name) => `no container uses the image ${name}`),
  ];
}
