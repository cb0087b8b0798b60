import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { ROOT } from '../support/checkout';
import { TestService } from '../support/service';

const fileOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const packageOf = (name: string) => JSON.parse(fileOf(name)) as Package;

interface Package {
  readonly version: string;
  readonly workspaces: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

describe('the version', () => {
  const { version, workspaces } = packageOf('package.json');
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  afterAll(() => service.stop());

  it('is the same in the packages, the image, the manifests and the changelog', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const lock = JSON.parse(fileOf('package-lock.json')) as { packages: Record<string, Package> };
    expect(workspaces).toEqual(['client', 'dashboard', 'phone', 'local-stack']);
    for (const folder of ['', ...workspaces]) {
      expect([folder, packageOf(join(folder, 'package.json')).version]).toEqual([folder, version]);
      expect([folder, lock.packages[folder]?.version]).toEqual([folder, version]);
    }
    expect(fileOf('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
    expect(fileOf('deploy/kubernetes/overlays/example/kustomization.yaml')).toContain(`newTag: ${version}\n`);
    const [, newest] = /^## \[(\d[^\]]*)\]/m.exec(fileOf('CHANGELOG.md')) ?? [];
    expect(newest).toBe(version);
  });

  it('of a dependency is the same and exact in every package', () => {
    const ranges = new Map<string, Set<string>>();
    for (const folder of ['', ...workspaces]) {
      const { dependencies, devDependencies } = packageOf(join(folder, 'package.json'));
      for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
        if (name.startsWith('messaging-gateway-')) continue;
        ranges.set(name, (ranges.get(name) ?? new Set()).add(range));
      }
    }
    const isExact = (found: Set<string>) =>
      found.size === 1 && [...found].every((range) => /^\d/.test(range));
    expect([...ranges].filter(([, found]) => !isExact(found))).toEqual([]);
  });

  it('is answered by health, and the API document has its first two numbers', async () => {
    const health = await request(service.url).get('/health/ready');
    expect(health.body).toMatchObject({ version });
    const [major = '', minor = ''] = version.split('.');
    for (const document of [
      (await request(service.url).get('/docs-json')).body as unknown,
      JSON.parse(fileOf('openapi.json')) as unknown,
    ]) {
      expect(document).toMatchObject({ info: { version: `${major}.${minor}` } });
    }
    // The path names the major version.
    expect(service.routes).toContain(`get /api/v${major}/gateway/stats`);
  });
});
