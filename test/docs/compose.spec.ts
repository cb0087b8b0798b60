import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { configurationVariables } from '../../src/config/configuration';
import { ROLES } from '../../src/config/sections/roles.config';
import { MarkdownPage } from '../support/markdown-page';
import { runProgram } from '../support/program';

interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly pull_policy?: string;
  readonly deploy?: { readonly replicas: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly user?: string;
  readonly command?: string | readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly { readonly host_ip?: string }[];
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
const ours = Object.entries(services).filter(([, { image }]) => image === services.api?.image);
const startedByDefault = Object.keys(services).filter((name) => !services[name]?.profiles);
const operations = MarkdownPage.read('operate/operations.md');

/** Checks without a Docker engine; linters check the syntax. */
describe('docker-compose.yml', () => {
  it('has the services that the README names', () => {
    const [, production = ''] =
      /^## Going to production\n(.*?)^## /ms.exec(MarkdownPage.read('../README.md').text) ?? [];
    for (const name of Object.keys(services)) expect(production).toContain(`\`${name}\``);
  });

  it('runs each role in a service of the same name, or all of them in small', () => {
    expect(ours.map(([name, { environment }]) => [name, environment?.APP_ROLES]).sort()).toEqual(
      [...ROLES.map((role) => [role, role]), ['small', ROLES.join(',')]].sort(),
    );
    expect(Object.keys(services).filter((name) => !startedByDefault.includes(name))).toEqual(['small']);
    expect(services.small?.profiles).toEqual(['small']);
  });

  it('runs the configured number of workers', () => {
    expect(ours.flatMap(([name, { deploy }]) => (deploy ? [[name, deploy]] : []))).toEqual([
      ['worker', { replicas: '${WORKERS:-1}' }],
    ]);
  });

  it('builds the shared image once and never pulls it', () => {
    expect(ours.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual([
      'api',
      'small',
    ]);
    for (const [, { pull_policy: policy }] of ours) expect(policy).toBe('never');
  });

  it('contains no secrets and requires the two it needs', () => {
    for (const [, { environment }] of ours) {
      expect(environment?.TOKEN_SECRET).toMatch(/^\$\{TOKEN_SECRET:\?put .*32 characters/);
      expect(environment?.ENCRYPTION_KEYS).toMatch(/^\$\{ENCRYPTION_KEYS:\?put 64 hexadecimal digits/);
    }
  });

  it('requires passwords for MongoDB and Redis', () => {
    for (const [, { environment }] of ours) {
      expect(environment?.MONGODB_URI).toMatch(/^mongodb:\/\/root:\$\{MONGODB_PASSWORD:\?put .*\}@mongodb:/);
      expect(environment?.REDIS_URL).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?put .*\}@redis:/);
    }
    expect(services.mongodb?.environment?.MONGODB_PASSWORD).toBe('${MONGODB_PASSWORD:?}');
    expect([services.mongodb?.command].flat().join()).toContain('--keyFile');
    expect(services.redis?.environment?.REDISCLI_AUTH).toBe('${REDIS_PASSWORD:?}');
    expect([services.redis?.command].flat().join()).toContain('requirepass');
  });

  it('requires only secrets that the README creates', () => {
    const required = new Set(Array.from(text.matchAll(/\$\{(\w+):\?/g), ([, name]) => name));
    const made = MarkdownPage.read('../README.md')
      .codeBlocks('bash')
      .flatMap((block) => Array.from(block.matchAll(/echo "(\w+)=\$\(openssl/g), ([, name]) => name));
    expect(made.sort()).toEqual([...required].sort());
  });

  it('drops every capability of every container and limits its memory', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([
        name,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
      expect([name, service.mem_limit]).toEqual([
        name,
        expect.stringMatching(/^(\d+|\$\{MONGODB_MEMORY:-\d+)[mg]\}?$/),
      ]);
    }
    expect([services.mongodb?.user, services.redis?.user]).toEqual(['mongodb', 'redis']);
  });

  it('uses only variables of the service', () => {
    const named = Array.from(text.matchAll(/\$\{(\w+)/g), ([, name]) => name);
    const set = ours.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    // These variables are for Compose only, and one for Node.
    const ofCompose = ['WORKERS', 'MONGODB_MEMORY', 'MONGODB_PASSWORD', 'REDIS_PASSWORD'];
    const known = [...configurationVariables(), ...ofCompose, 'NODE_OPTIONS'];
    expect(known).toEqual(expect.arrayContaining([...named, ...set]));
  });

  it('publishes the API on localhost by default, and MongoDB and Redis not at all', () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['api', 'small']);
    for (const name of ['api', 'small'])
      expect(services[name]?.ports?.map(({ host_ip: address }) => address)).toEqual(['${HOST:-127.0.0.1}']);
    for (const name of ['mongodb', 'redis']) {
      expect(services[name]?.networks.map((network) => networks[network]?.internal)).toEqual([true]);
    }
  });

  it('has health checks for all services and waits for MongoDB and Redis', () => {
    for (const [, { depends_on: needs }] of ours) {
      expect(needs).toEqual({
        mongodb: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      });
    }
    expect(services.mongodb?.healthcheck?.test).toContain('mongosh');
    expect(services.redis?.healthcheck?.test).toContain('redis-cli');
    for (const [, { environment }] of ours) expect(environment?.OPS_PORT).toBeDefined();
  });

  it('works with the Prometheus setup of docs/operate/operations.md', () => {
    const blocks = operations.codeBlocks('yaml').map((block): unknown => parse(block));
    expect(blocks).toContainEqual({
      scrape_configs: [
        expect.objectContaining({
          dns_sd_configs: [
            { names: [...ROLES], type: 'A', port: Number(services.api?.environment?.OPS_PORT) },
          ],
        }),
      ],
    });
    expect(services.api?.environment?.PORT).toBe(services.api?.environment?.OPS_PORT);
    const [beside] = blocks.filter((block): block is Compose => Object.hasOwn(block as object, 'services'));
    for (const network of beside?.services.prometheus?.networks ?? ['none']) {
      for (const [, service] of ours) expect(service.networks).toContain(network);
      expect(networks[network]?.internal).toBeUndefined();
    }
  });
});

describe.each([
  ['operate/operations.md', startedByDefault],
  ['operate/small.md', ['small']],
])('docs/%s', (page, names) => {
  it('names the services of docker-compose.yml', () => {
    const calls = MarkdownPage.read(page).text.matchAll(
      /docker compose (exec|stop|restart|up) ([^|<>&`\n]*)/g,
    );
    const named = Array.from(calls).flatMap(([, verb, rest = '']) => {
      const words = rest.split(' ').filter((word) => word !== '' && !word.startsWith('-'));
      return verb === 'exec' ? words.slice(0, 1) : words;
    });
    expect(new Set(named)).toEqual(new Set(names));
  });
});

describe('Dockerfile', () => {
  it('copies only files that .dockerignore allows', () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm), ([, files = '']) =>
      files.split(' ').map((file) => file.replace(/\/.*/, '')),
    );
    const letThrough = Array.from(fileOf('.dockerignore').matchAll(/^!(.+)$/gm), ([, name]) => name);
    expect([...new Set(copied.flat())].sort()).toEqual(letThrough.sort());
  });

  const [, check = '[]'] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program = '', ...args] = JSON.parse(check) as string[];

  it.each([
    ['', 'PORT'],
    ['api', 'PORT'],
    ['scheduler, api', 'PORT'],
    ['worker', 'OPS_PORT'],
    ['worker,scheduler', 'OPS_PORT'],
  ])('with the roles "%s" checks the health on %s', async (APP_ROLES, variable) => {
    const asked: (string | undefined)[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const environment = { PORT: '1', OPS_PORT: '1', APP_ROLES, [variable]: String(port) };
    const codeOfCheck = async () => (await runProgram(program, args, { environment })).code;
    expect(await codeOfCheck()).toBe(0);
    status = 503;
    expect(await codeOfCheck()).toBe(1);
    await new Promise((resolve) => server.close(resolve));
    expect(await codeOfCheck()).toBe(1);
    expect(asked).toEqual(['/health/live', '/health/live']);
  });

  it('builds and runs on the same Node version', () => {
    const bases = Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image]) => image);
    expect(new Set(bases).size).toBe(1);
  });

  it('does not run as root', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});
