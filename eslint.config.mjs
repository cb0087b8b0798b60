import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const USE_OUTBOUND_HTTP = 'Use OutboundHttp (src/infrastructure/outbound-http).';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'coverage',
      'node_modules',
      'client/dist',
      'phone/dist',
      'client/generated',
      'dashboard/generated',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'off', // a type-only import erases the metadata Nest injects by
      '@typescript-eslint/no-extraneous-class': 'off', // Nest modules are empty classes
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off', // DTO and schema classes are shapes
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read configuration in src/config only.' },
      ],
    },
  },
  {
    files: ['src/config/**/*.ts', '{client,dashboard,phone,local-stack,tools,test,bench}/**/*.{ts,tsx}'],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['{client,phone,local-stack,tools}/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['dashboard/**/*.tsx'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    files: ['dashboard/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: true }],
      'react-hooks/incompatible-library': 'off', // for the React compiler, which is not used
      // The router redirects by throwing, and handlers of events return nothing that is read.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // Addresses that users choose are called through the one client that judges them.
    files: ['**/*.ts'],
    ignores: [
      'src/infrastructure/outbound-http/**',
      'src/infrastructure/patches/undici-*.spec.ts',
      'bench/**',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['undici', 'undici/*'], message: USE_OUTBOUND_HTTP }],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          globals: ['fetch', 'WebSocket'].map((name) => ({ name, message: USE_OUTBOUND_HTTP })),
          checkGlobalObject: true,
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>8]',
          message:
            'A constructor takes at most eight dependencies: find the second responsibility of the class and give it its own class.',
        },
      ],
    },
  },
  {
    // Types, and what Node knows of addresses, lead nowhere.
    files: ['src/**/*.ts'],
    ignores: [
      'src/infrastructure/outbound-http/**',
      'src/infrastructure/proxy/**',
      'src/**/*.spec.ts',
      'src/common/http/connections/http-server.ts', // runs the server
      'src/infrastructure/patches/fcm-agent.ts', // connects to FCM only
      'src/infrastructure/redis/cluster-connector.ts', // connects to Redis only
      'src/push/fcm/push-attempt.ts', // recognises a TLS socket
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(node:)?(http|https|http2|net|tls)$',
              allowImportNames: ['isIP', 'isIPv4', 'isIPv6', 'ServerResponse'],
              allowTypeImports: true,
              message: USE_OUTBOUND_HTTP,
            },
          ],
        },
      ],
    },
  },
);
