import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { whoAmIOptions } from '../generated/@tanstack/react-query.gen';
import { BASE_PATH } from './api/base-path';
import { ApiError } from './api/client';
import { queryClient } from './query-client';
import { type CatalogueName, loadCatalogues } from './i18n';
import { LoadingSkeleton } from './components/QueryState';
import { LostPage, NotFoundPage } from './shell/NotFoundPage';
import { PageError } from './shell/PageError';
import { Shell } from './shell/Shell';

const root = createRootRoute({ notFoundComponent: LostPage });

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

type PageModule = Promise<{ default: () => React.ReactNode }>;

/** A page comes with its texts: those of its own, and those of the components it shares. */
const withTexts = (catalogues: readonly CatalogueName[], load: () => PageModule) =>
  lazyRouteComponent(async () => {
    const [page] = await Promise.all([load(), loadCatalogues(catalogues)]);
    return page;
  });

function page<const Path extends string>(
  path: Path,
  catalogues: readonly CatalogueName[],
  load: () => PageModule,
) {
  return createRoute({
    getParentRoute: () => signedIn,
    path,
    validateSearch: anySearch,
    component: withTexts(catalogues, load),
  });
}

function signInPage<const Path extends string>(path: Path, load: () => PageModule) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: anySearch,
    component: withTexts(['signIn'], load),
  });
}

const routes = root.addChildren([
  signInPage('/sign-in', () => import('./pages/sign-in/SignInPage')),
  signInPage('/reset-password', () => import('./pages/sign-in/ResetPasswordPage')),
  signedIn.addChildren([
    page('/', ['overview', 'problems', 'queue', 'waits'], () => import('./pages/overview/OverviewPage')),
    page('/messages', ['messages', 'failures', 'waits'], () => import('./pages/messages/MessagesPage')),
    page(
      '/messages/$id',
      ['messages', 'explanation', 'failures', 'waits'],
      () => import('./pages/messages/MessagePage'),
    ),
    page(
      '/conversations',
      ['conversations', 'blocks', 'send', 'failures'],
      () => import('./pages/conversations/ConversationsPage'),
    ),
    page(
      '/conversations/$number',
      ['conversations', 'blocks', 'send', 'failures'],
      () => import('./pages/conversations/ConversationsPage'),
    ),
    page(
      '/send',
      ['send', 'blocks', 'explanation', 'failures', 'problems', 'waits'],
      () => import('./pages/send/SendPage'),
    ),
    page('/contacts', ['contacts'], () => import('./pages/contacts/ContactsPage')),
    page('/contacts/import', ['imports'], () => import('./pages/contacts/import/ImportPage')),
    page('/contacts/$id', ['blocks', 'contacts'], () => import('./pages/contacts/ContactPage')),
    page('/campaigns', ['campaigns', 'send'], () => import('./pages/campaigns/CampaignsPage')),
    page(
      '/campaigns/new',
      ['campaigns', 'send', 'problems', 'waits'],
      () => import('./pages/campaigns/NewCampaignPage'),
    ),
    page(
      '/campaigns/$id',
      ['campaigns', 'send', 'failures', 'waits'],
      () => import('./pages/campaigns/CampaignPage'),
    ),
    page(
      '/phones',
      ['phones', 'problems', 'queue', 'failures', 'waits'],
      () => import('./pages/phones/PhonesPage'),
    ),
    page(
      '/phones/$id',
      ['phones', 'checkup', 'problems', 'queue', 'failures', 'waits'],
      () => import('./pages/phones/PhonePage'),
    ),
    page('/loop-test', ['loopTest'], () => import('./pages/loop-test/LoopTestPage')),
    page('/pools', ['pools'], () => import('./pages/pools/PoolsPage')),
    page('/pools/$id', ['pools', 'phones'], () => import('./pages/pools/PoolPage')),
    page('/opt-outs', ['optOuts', 'blocks'], () => import('./pages/opt-outs/OptOutsPage')),
    page('/webhooks', ['webhooks'], () => import('./pages/webhooks/WebhooksPage')),
    page('/webhooks/$id', ['webhooks'], () => import('./pages/webhooks/WebhookPage')),
    page('/api-keys', ['apiKeys'], () => import('./pages/api-keys/ApiKeysPage')),
    page('/account', ['account'], () => import('./pages/account/AccountPage')),
    page('/operations', ['operations', 'account'], () => import('./pages/operations/OperationsPage')),
  ]),
]);

export const router = createRouter({
  routeTree: routes,
  basepath: BASE_PATH,
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
