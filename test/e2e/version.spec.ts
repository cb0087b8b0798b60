import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { ROOT } from '../support/checkout';
import { TestService } from '../support/service';

const fileOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const packageOf = (name: string) => JSON.parse(fileOf(name)) as { readonly version: string };

describe('the version', () => {
  const { version } = packageOf('package.json');
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  afterAll(() => service.stop());

  it('is the same in the packages, the image and the changelog', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packageOf('client/package.json').version).toBe(version);
    expect(packageOf('package-lock.json').version).toBe(version);
    expect(fileOf('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
    const [, newest] = /^## \[(\d[^\]]*)\]/m.exec(fileOf('CHANGELOG.md')) ?? [];
    expect(newest).toBe(version);
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
