const { readdirSync } = require('node:fs');
const { join } = require('node:path');

// The import rules. A module may import those listed for it, and itself.
const MAY_IMPORT = {
  config: [],
  common: ['config'],
  infrastructure: ['common', 'config'],
  migrations: ['infrastructure', 'common', 'config'],
  totals: ['auth', 'infrastructure', 'common', 'config'],
  auth: ['infrastructure', 'common', 'config'],
  billing: ['auth', 'infrastructure', 'common', 'config'],
  devices: ['totals', 'auth', 'infrastructure', 'common', 'config'],
  'api-keys': ['devices', 'auth', 'infrastructure', 'common', 'config'],
  'pairing-codes': ['api-keys', 'devices', 'auth', 'infrastructure', 'common', 'config'],
  push: ['auth', 'infrastructure', 'common', 'config'],
  notices: ['devices', 'billing', 'auth', 'infrastructure', 'common', 'config'],
  contacts: ['devices', 'auth', 'infrastructure', 'common', 'config'],
  messages: ['contacts', 'totals', 'devices', 'auth', 'infrastructure', 'common', 'config'],
  consent: ['messages', 'devices', 'auth', 'infrastructure', 'common', 'config'],
  'contact-imports': [
    'gateway',
    'consent',
    'contacts',
    'messages',
    'devices',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
  gateway: [
    'consent',
    'contacts',
    'totals',
    'webhooks',
    'messages',
    'devices',
    'billing',
    'push',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
  phones: [
    'gateway',
    'messages',
    'pairing-codes',
    'devices',
    'billing',
    'push',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
  webhooks: ['totals', 'notices', 'messages', 'devices', 'auth', 'infrastructure', 'common', 'config'],
  maintenance: [
    'contacts',
    'totals',
    'webhooks',
    'messages',
    'devices',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
  dashboard: ['common', 'config'],
  'account-export': [
    'contact-imports',
    'consent',
    'contacts',
    'gateway',
    'webhooks',
    'messages',
    'notices',
    'api-keys',
    'devices',
    'billing',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
  erasure: [
    'contact-imports',
    'consent',
    'contacts',
    'webhooks',
    'messages',
    'devices',
    'billing',
    'auth',
    'infrastructure',
    'common',
    'config',
  ],
};

MAY_IMPORT.ops = Object.keys(MAY_IMPORT);

/** They join the modules, and import all of them. */
const ABOVE_ALL = ['admin', 'openapi'];
const unlisted = readdirSync(join(__dirname, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !(entry.name in MAY_IMPORT) && !ABOVE_ALL.includes(entry.name))
  .map(({ name }) => name);
if (unlisted.length > 0)
  throw new Error(`MAY_IMPORT does not say what src/${unlisted.join(', src/')} may import`);

const layers = Object.entries(MAY_IMPORT).map(([module, allowed]) => ({
  name: `${module}-imports`,
  comment: `src/${module} may import ${allowed.join(', ') || 'nothing else'}`,
  severity: 'error',
  from: { path: `^src/${module}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: '^src/', pathNot: [module, ...allowed].map((name) => `^src/${name}/`) },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'inner-files',
      comment:
        'Routes, jobs and timers are a module’s own; what others may use are its services and repositories',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/[^/]+/.*\\.(controller|processor|scheduler|strategy|guard)\\.ts$',
        pathNot: '^src/$1/',
      },
    },
    {
      name: 'controllers-only-in-http-modules',
      comment:
        'Routes are mounted by the HTTP module of a feature, so that a backend that imports its services mounts none',
      severity: 'error',
      from: { path: '^src/', pathNot: ['-http\\.module\\.ts$', '\\.spec\\.ts$'] },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'no-platform',
      comment:
        'Modules run on Express and Fastify alike: only what sets up the service itself knows the platform',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(main|bootstrap|openapi/serve-document|common/http/(limited-fastify-adapter|files/memory-file|connections/http-server)|dashboard/serve-dashboard|ops/(setup-ops|queue-page))\\.ts$',
      },
      to: {
        path: '^node_modules/(fastify|@fastify|express|@types/express|@nestjs/platform-|@bull-board/(fastify|express))',
      },
    },
    {
      name: 'service-stands-alone',
      comment: 'The service loads nothing of its tools and tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(client|phone|local-stack|tools|test|bench)/' },
    },
    {
      name: 'workspaces-stand-alone',
      comment: 'The workspaces run without the service; their tests may use its test support',
      severity: 'error',
      from: { path: '^(client|phone|local-stack)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(?!(client|phone|local-stack)/)', dependencyTypes: ['local'] },
    },
    {
      name: 'workspaces-by-name',
      comment: 'Other code imports a workspace by its package name, which leads to its exports',
      severity: 'error',
      from: { path: '^(src|tools|test|bench)/' },
      to: { path: '^(client|phone|local-stack)/', dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^client/generated/', '^dashboard/generated/'] },
  },
};
