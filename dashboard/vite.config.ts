import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';
import { usedMantineStyles } from './mantine-styles.ts';

// The service, for `npm run dev`.
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  // The service may be below a path of its host; the page has its base.
  base: './',
  plugins: [
    react(),
    usedMantineStyles(),
    compression({ algorithms: ['gzip', 'brotliCompress'], exclude: /index\.html$/ }),
  ],
  build: {
    target: 'es2022',
    // These know light-dark(), whose replacement for older browsers needs a color-scheme that Mantine sets too late.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Each file has its own URL, so that the content security policy needs no data: for scripts and fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    // Which page needs which files; test/dashboard/size.spec.ts reads it.
    manifest: 'manifest.json',
  },
  server: { proxy: { '/api': SERVICE, '/docs': SERVICE } },
});
