import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import { configurationVariables, loadConfiguration } from '../../src/config/configuration';
import { ConfigurationError, type Environment } from '../../src/config/environment/environment';
import { ROLES } from '../../src/config/sections/roles.config';
import type { Kustomized } from './kustomization';
import { containersOf, listKind, listWorkloads, nameOf, podOf } from './workloads';

type ConfigMaps = Kustomized['configMaps'];

/** What the manifests must agree with. */
export interface Expectations {
  /** The Secret with every key and no value. */
  readonly secret: ISecret;
  /** Seconds that a process is given to stop. */
  readonly stopSeconds: number;
}

/** Settings that the service does not have or refuses, and Deployments that do not fit them. */
export function settingsProblems(kustomized: Kustomized, { secret, stopSeconds }: Expectations): string[] {
  const { manifests, configMaps } = kustomized;
  const deployments = listKind(manifests, Deployment);
  const roles = deployments.flatMap(containersOf).map((each) => environmentOf(each, configMaps).APP_ROLES);
  return [
    ...secretProblems(secret, configMaps),
    ...ROLES.filter((role) => !roles.includes(role)).map((role) => `no Deployment has the role ${role}`),
    ...listWorkloads(manifests).flatMap((workload) =>
      containersOf(workload)
        .flatMap((container) => environmentProblems(container, configMaps, secret))
        .map((problem) => `${nameOf(workload)}: ${problem}`),
    ),
    ...deployments.flatMap((deployment) =>
      [...portProblems(deployment, configMaps), ...graceProblems(deployment, stopSeconds)].map(
        (problem) => `${nameOf(deployment)}: ${problem}`,
      ),
    ),
  ];
}

function environmentOf({ env = [], envFrom = [] }: IContainer, configMaps: ConfigMaps): Environment {
  const maps = envFrom.map(({ configMapRef }) => configMaps.get(configMapRef?.name ?? ''));
  return Object.assign({}, ...maps, ...env.map(({ name, value }) => ({ [name]: value }))) as Environment;
}

/** What the service says about its settings. */
function configurationErrors(environment: Environment): readonly string[] {
  try {
    loadConfiguration(environment);
    return [];
  } catch (failure) {
    if (failure instanceof ConfigurationError) return failure.errors;
    throw failure;
  }
}

const variableOf = (error: string): string => error.replace(/ .*/, '');

const unknownSettings = (names: readonly string[]): string[] =>
  names
    .filter((name) => !configurationVariables().includes(name))
    .map((name) => `there is no setting ${name}`);

function secretProblems({ stringData = {} }: ISecret, configMaps: ConfigMaps): string[] {
  const keys = Object.keys(stringData);
  const required = configurationErrors({}).map(variableOf);
  const plain = [...configMaps.values()].flatMap((variables) => Object.keys(variables));
  return [
    ...unknownSettings(keys),
    ...keys.filter((key) => stringData[key] !== '').map((key) => `the example Secret has a value: ${key}`),
    ...keys.filter((key) => plain.includes(key)).map((key) => `${key} is in a ConfigMap and in the Secret`),
    ...required.filter((key) => !keys.includes(key)).map((key) => `the example Secret lacks ${key}`),
  ];
}

function environmentProblems(container: IContainer, configMaps: ConfigMaps, secret: ISecret): string[] {
  const sources = container.envFrom ?? [];
  const maps = sources.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
  const secrets = sources.flatMap(({ secretRef }) => secretRef?.name ?? []);
  const environment = environmentOf(container, configMaps);
  const isSecret = (error: string) => variableOf(error) in (secret.stringData ?? {});
  return [
    ...maps.filter((name) => !configMaps.has(name)).map((name) => `there is no ConfigMap ${name}`),
    ...secrets.filter((name) => name !== secret.metadata?.name).map((name) => `there is no Secret ${name}`),
    ...(secrets.length === 0 ? ['it reads no Secret'] : []),
    ...unknownSettings(Object.keys(environment)),
    ...configurationErrors(environment).filter((error) => !isSecret(error)),
  ];
}

function portProblems(deployment: IDeployment, configMaps: ConfigMaps): string[] {
  return containersOf(deployment).flatMap((container) => {
    const { APP_ROLES = '', PORT, OPS_PORT } = environmentOf(container, configMaps);
    const listening = APP_ROLES.includes('api') ? PORT : OPS_PORT;
    return (container.ports ?? [])
      .filter(({ containerPort }) => String(containerPort) !== listening)
      .map(({ containerPort }) => `it listens on ${listening ?? 'no port'}, not on ${containerPort}`);
  });
}

function graceProblems(deployment: IDeployment, stopSeconds: number): string[] {
  const grace = podOf(deployment)?.spec?.terminationGracePeriodSeconds ?? 30;
  const sleeps = containersOf(deployment).map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0);
  const needed = stopSeconds + Math.max(...sleeps);
  return grace < needed ? [`it is killed after ${grace} s, but may need ${needed} s to stop`] : [];
}
