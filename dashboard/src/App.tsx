import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from './query-client';
import { Notices } from './components/notify';
import { router } from './router';
import { cssVariables, themeWithNames } from './theme';

const colorScheme = localStorageColorSchemeManager({ key: 'color-scheme' });

/** Set by the service for each answer; styles that are made by scripts need it. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// Where the library that stops the page behind a modal from scrolling looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce() });

export function App() {
  const { t } = useTranslation();
  const theme = useMemo(() => themeWithNames({ close: t('common.close'), clear: t('common.clear') }), [t]);
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
