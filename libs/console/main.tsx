import { CSPProvider } from '@base-ui/react/csp-provider';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { ApiError } from './api/client';
import { signedInOwner } from './api/ended-session';
import { Console } from './console';
import { Toasts } from './parts/toasts';
import { applyTheme } from './parts/theme';
import './styles.css';

/** When a session ends, its requests wait for another one. This handles requests that never had a session. */
const endOfSession = (error: Error): void => {
  if (!(error instanceof ApiError) || error.status !== 401 || signedInOwner() !== undefined) return;
  client.setQueryData(['session'], null);
};

const client = new QueryClient({
  queryCache: new QueryCache({ onError: endOfSession }),
  mutationCache: new MutationCache({ onError: endOfSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only requests that did not reach a service can succeed when they are repeated.
      retry: (failures, error) => failures < 3 && error instanceof ApiError && [0, 502, 503].includes(error.status),
    },
  },
});

applyTheme();
const place = document.getElementById('console');
if (place === null) throw new Error('The page has no element with the id “console”.');
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <Router base="/console">
          <Console />
          <Toasts />
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
