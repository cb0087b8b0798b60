import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { configurationVariables } from '../../src/config/configuration';
import { ROLES } from '../../src/config/roles.config';
import { Document } from '../support/document';

interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly ports?: readonly object[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const ROOT = join(__dirname, '..', '..');
const fileOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

const text = fileOf('docker-compose.yml');
const { services, networks } = parse(text, { merge: true }) as Compose;
const dockerfile = fileOf('Dockerfile');
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** What can be held without a Docker engine; that both files are well-formed is held by their linters. */
describe('docker-compose.yml', () => {
  it('runs what the README names', () => {
    const [, production = ''] =
      /^## Going to production\n(.*?)^## /ms.exec(Document.read('../README.md').text) ?? [];
    for (const name of Object.keys(services)) expect(production).toContain(`\`${name}\``);
  });

  it('runs each role in a service of its name', () => {
    expect(ours.map(([name, { environment }]) => [name, environment?.APP_ROLES]).sort()).toEqual(
      ROLES.map((role) => [role, role]).sort(),
    );
  });

  it('has no secret of its own, and does not start without the two it needs', () => {
    for (const [, { environment }] of ours) {
      expect(environment?.TOKEN_SECRET).toMatch(/^\$\{TOKEN_SECRET:\?put .*32 characters/);
      expect(environment?.ENCRYPTION_KEYS).toMatch(/^\$\{ENCRYPTION_KEYS:\?put 64 hexadecimal digits/);
    }
  });

  it('speaks of variables that the service knows', () => {
    const named = Array.from(text.matchAll(/\$\{(\w+)/g), ([, name]) => name);
    const set = ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    expect(configurationVariables()).toEqual(expect.arrayContaining([...named, ...set]));
  });

  it('opens the API to the outside, and MongoDB and Redis to the service alone', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['api']);
    for (const name of ['mongodb', 'redis']) {
      expect(services[name]?.networks.map((network) => networks[network]?.internal)).toEqual([true]);
    }
  });

  it('waits for MongoDB and Redis to be healthy, and looks after the health of all', () => {
    for (const [, { depends_on: needs }] of ours) {
      expect(needs).toEqual({
        mongodb: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      });
    }
    expect(services.mongodb?.healthcheck?.test).toContain('mongosh');
    expect(services.redis?.healthcheck?.test).toContain('redis-cli');
    expect(dockerfile).toMatch(/^HEALTHCHECK[^]*process\.env\.PORT\}\/health\/live/m);
    // Those without the api role answer on a port of their own, which the image's check must find.
    for (const [, { environment }] of ours) expect(environment?.OPS_PORT).toBe(environment?.PORT);
  });
});

describe('Dockerfile', () => {
  it('copies only what .dockerignore lets through', () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm), ([, files = '']) =>
      files.split(' '),
    );
    const letThrough = Array.from(fileOf('.dockerignore').matchAll(/^!(.+)$/gm), ([, name]) => name);
    expect(copied.flat().sort()).toEqual(letThrough.sort());
  });

  it('runs without the rights of root', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});
