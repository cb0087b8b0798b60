import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { whoAmIOptions } from '../generated/@tanstack/react-query.gen';
import { ApiError } from './api/client';
import { queryClient } from './api/query-client';
import { LoadingSkeleton } from './components/QueryState';
import { NotFoundPage } from './shell/NotFoundPage';
import { PageError } from './shell/PageError';
import { Shell } from './shell/Shell';

const root = createRootRoute();

/** All pages but signing in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    await queryClient.query({ ...whoAmIOptions(), staleTime: 'static' }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } });
      throw error;
    });
  },
});

/** Filters and open rows are in the address, and each page reads its own. */
type Search = Readonly<Record<string, string | number | boolean | undefined>>;
const anySearch = (search: Record<string, unknown>): Search => search as Search;

function page<const Path extends string>(
  path: Path,
  load: () => Promise<{ default: () => React.ReactNode }>,
) {
  return createRoute({
    getParentRoute: () => signedIn,
    path,
    validateSearch: anySearch,
    component: lazyRouteComponent(load),
  });
}

const signIn = (path: '/sign-in' | '/reset-password') =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: anySearch,
    component: lazyRouteComponent(
      path === '/sign-in'
        ? () => import('./pages/sign-in/SignInPage')
        : () => import('./pages/sign-in/ResetPasswordPage'),
    ),
  });

const routes = root.addChildren([
  signIn('/sign-in'),
  signIn('/reset-password'),
  signedIn.addChildren([
    page('/', () => import('./pages/overview/OverviewPage')),
    page('/messages', () => import('./pages/messages/MessagesPage')),
    page('/messages/$id', () => import('./pages/messages/MessagePage')),
    page('/conversations', () => import('./pages/conversations/ConversationsPage')),
    page('/conversations/$number', () => import('./pages/conversations/ConversationsPage')),
    page('/send', () => import('./pages/send/SendPage')),
    page('/campaigns', () => import('./pages/campaigns/CampaignsPage')),
    page('/campaigns/new', () => import('./pages/campaigns/NewCampaignPage')),
    page('/campaigns/$id', () => import('./pages/campaigns/CampaignPage')),
    page('/phones', () => import('./pages/phones/PhonesPage')),
    page('/phones/$id', () => import('./pages/phones/PhonePage')),
    page('/pools', () => import('./pages/pools/PoolsPage')),
    page('/pools/$id', () => import('./pages/pools/PoolPage')),
    page('/webhooks', () => import('./pages/webhooks/WebhooksPage')),
    page('/webhooks/$id', () => import('./pages/webhooks/WebhookPage')),
    page('/api-keys', () => import('./pages/api-keys/ApiKeysPage')),
    page('/account', () => import('./pages/account/AccountPage')),
    page('/operations', () => import('./pages/operations/OperationsPage')),
  ]),
]);

export const router = createRouter({
  routeTree: routes,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <LoadingSkeleton lines={8} />,
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: PageError,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
