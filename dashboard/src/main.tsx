import '@mantine/core/styles.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { configureClient } from './api/client';
import { startTranslations } from './i18n';

configureClient();
const root = document.getElementById('root');
if (root) {
  void startTranslations().then(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
