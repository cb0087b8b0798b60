import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './api/query-client';
import { Notices } from './components/notify';
import { router } from './router';
import { cssVariables, theme } from './theme';

const colorScheme = localStorageColorSchemeManager({ key: 'color-scheme' });

/** Set by the service for each answer; styles that are made by scripts need it. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// Where the library that stops the page behind a modal from scrolling looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce() });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notices />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
