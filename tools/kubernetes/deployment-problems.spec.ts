import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deploymentProblems } from './deployment-problems';

const ROOT = join(__dirname, '..', '..');

describe('deploymentProblems', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    cpSync(join(ROOT, 'deploy', 'kubernetes'), folder, { recursive: true });
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const problems = () => deploymentProblems(folder, join(ROOT, 'docker-compose.yml'));
  const replace = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };

  it('finds none in the manifests of the repository', () => {
    expect(problems()).toEqual([]);
  });

  it.each([
    [
      'base/worker.yaml',
      'strategy:',
      'strategi:',
      'Deployment messaging-gateway-worker: /spec/strategi is unknown',
    ],
    [
      'base/api.yaml',
      'replicas: 2',
      "replicas: '2'",
      'Deployment messaging-gateway-api: /spec/replicas must be integer',
    ],
    [
      'autoscaling/worker-scaling.yaml',
      'minReplicaCount',
      'minReplicas',
      'ScaledObject messaging-gateway-worker: /spec/minReplicas is unknown',
    ],
    [
      'base/migration.yaml',
      'batch/v1',
      'batch/v2',
      'Job messaging-gateway-migration: has no schema: batch/v2 Job',
    ],
    [
      'base/api.yaml',
      '      labels:\n        app.kubernetes.io/name: messaging-gateway',
      '      labels:\n        app: x',
      /^Deployment messaging-gateway-api selects no pod/,
    ],
    [
      'base/disruption-budgets.yaml',
      '      app.kubernetes.io/component: scheduler',
      '      app.kubernetes.io/component: x',
      /^PodDisruptionBudget messaging-gateway-scheduler selects no pod/,
    ],
    [
      'base/api.yaml',
      'targetPort: http',
      'targetPort: web',
      'Service messaging-gateway: Deployment messaging-gateway-api has no port web',
    ],
    [
      'base/worker.yaml',
      'containerPort: 3000',
      'containerPort: 3001',
      'Deployment messaging-gateway-worker: it listens on 3000, not on 3001',
    ],
    [
      'base/worker.yaml',
      '          livenessProbe:',
      '          x:',
      'Deployment messaging-gateway-worker: Deployment messaging-gateway-worker has no port of a missing probe',
    ],
    [
      'base/scheduler.yaml',
      'image: messaging-gateway',
      'image: x',
      'several images are used: messaging-gateway, x',
    ],
    [
      'base/scheduler.yaml',
      'value: scheduler',
      'value: schedule',
      /^Deployment messaging-gateway-scheduler: APP_ROLES must be/,
    ],
    [
      'base/settings.env',
      'LOG_FORMAT',
      'LOG_FORMATS',
      'Deployment messaging-gateway-api: there is no setting LOG_FORMATS',
    ],
    [
      'overlays/example/kustomization.yaml',
      'TRUST_PROXY=1',
      'TRUST_PROXY=yes',
      /^Deployment messaging-gateway-api: TRUST_PROXY must be/,
    ],
    [
      'overlays/example/kustomization.yaml',
      'name: messaging-gateway\n    newName',
      'name: gateway\n    newName',
      'no container uses the image gateway',
    ],
    ['base/secret.example.yaml', 'REDIS_URL', 'REDIS', 'the example Secret lacks REDIS_URL'],
    [
      'base/secret.example.yaml',
      "TOKEN_SECRET: ''",
      'TOKEN_SECRET: x',
      'the example Secret has a value: TOKEN_SECRET',
    ],
    [
      'base/api.yaml',
      'secretRef:\n                name: messaging-gateway',
      'secretRef:\n                name: x',
      'Deployment messaging-gateway-api: there is no Secret x',
    ],
    [
      'base/api.yaml',
      'configMapRef:\n                name: messaging-gateway',
      'configMapRef:\n                name: x',
      'Deployment messaging-gateway-api: there is no ConfigMap x',
    ],
    [
      'base/api.yaml',
      'terminationGracePeriodSeconds: 40',
      'terminationGracePeriodSeconds: 35',
      'Deployment messaging-gateway-api: it is killed after 35 s, but may need 40 s to stop',
    ],
    ['base/kustomization.yaml', '  - worker.yaml\n', '', 'base/worker.yaml is in no kustomization'],
    ['base/kustomization.yaml', 'worker.yaml', 'workers.yaml', /base\/workers\.yaml does not exist$/],
    [
      'base/kustomization.yaml',
      'worker.yaml',
      'secret.example.yaml',
      'Secret messaging-gateway is applied, with its values',
    ],
    [
      'overlays/example/kustomization.yaml',
      'behavior: merge',
      'behavior: create',
      /cannot create ConfigMap messaging-gateway$/,
    ],
    ['overlays/example/kustomization.yaml', 'images:', 'patches:', /: patches is not checked/],
    [
      'autoscaling/worker-scaling.yaml',
      'scaleTargetRef:\n    name: messaging-gateway-worker',
      'scaleTargetRef:\n    name: x',
      'ScaledObject messaging-gateway-worker: there is no Deployment x',
    ],
    [
      'overlays/example/ingress.yaml',
      'name: http\n',
      'name: web\n',
      'Ingress messaging-gateway: there is no Service messaging-gateway with the port web',
    ],
  ])('finds a mistake in %s: %j', (file, from, to, problem) => {
    replace(file, from, to);
    const matching: unknown = typeof problem === 'string' ? problem : expect.stringMatching(problem);
    expect(problems()).toContainEqual(matching);
  });
});
