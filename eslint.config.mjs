import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules', 'client/dist', 'client/generated'] },
  {
    files: ['**/*.ts'],
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
    files: ['src/config/**/*.ts', 'tools/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['tools/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // Addresses that users choose are called through the one client that judges them.
    files: ['**/*.ts'],
    ignores: ['src/webhooks/outbound/**', 'bench/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['undici', 'undici/*'], message: 'Use OutboundHttp (src/webhooks/outbound).' }],
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
          globals: [{ name: 'fetch', message: 'Use OutboundHttp (src/webhooks/outbound).' }],
          checkGlobalObject: true,
        },
      ],
    },
  },
);
