import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type * as operations from '../../generated/sdk.gen';

type Operation = keyof typeof operations;

type Shown = Readonly<Record<string, readonly Operation[]>>;

/** What the service tells changes of, and the operations whose answers show it. */
const HINTED = {
  message: [
    'listMessages',
    'getMessage',
    'getAccountMessage',
    'explainMessage',
    'getStats',
    'getSeries',
    'getMonth',
    'getBatch',
    'getQueue',
    'listConversations',
    'getConversation',
    'getAccountBatch',
    'listSuppressions',
    'getCurrentSubscription',
  ],
  batch: ['listBatches', 'getAccountBatch', 'getQueue'],
  device: [
    'listDevices',
    'getDevice',
    'listSims',
    'listProblems',
    'listApiKeys',
    'explainMessage',
    'getStats',
  ],
  sim: ['listSims', 'getSim', 'listProblems', 'getQueue'],
  pool: ['listPools', 'getPool'],
  conversation: ['listConversations', 'getConversation'],
  contact: [
    'listContacts',
    'getContact',
    'listLists',
    'listConversations',
    'getConversation',
    'listSuppressions',
  ],
  list: ['listLists', 'getList', 'listContacts'],
  webhook: ['listWebhooks', 'getWebhook', 'listProblems'],
  delivery: [
    'explainMessage',
    'listWebhookNotifications',
    'getWebhookNotification',
    'listWebhooks',
    'getWebhook',
  ],
} as const satisfies Shown;

/** What pages change and the service does not tell of. */
const OTHERS = {
  block: ['listSuppressions', 'checkSuppressions'],
  consent: ['getConsentSettings', 'listOptOutCandidates'],
  apiKey: ['listApiKeys'],
  account: ['listAccounts', 'listOperatorActions'],
} as const satisfies Shown;

const SHOWN_BY = { ...HINTED, ...OTHERS };

export type HintKind = keyof typeof HINTED;
type Kind = keyof typeof SHOWN_BY;

export const HINT_KINDS = Object.keys(HINTED) as readonly HintKind[];

/** Reads again what pages show of these kinds. */
export async function readAgain(queries: QueryClient, kinds: Iterable<Kind>): Promise<void> {
  const shown = new Set([...kinds].flatMap((kind): readonly Operation[] => SHOWN_BY[kind]));
  await Promise.all([...shown].map((_id) => queries.invalidateQueries({ queryKey: [{ _id }] })));
}

/** Reads again what a person has changed on a page, which does not wait for the hint of the service. */
export function useReadAgain(...kinds: readonly Kind[]): () => Promise<void> {
  const queries = useQueryClient();
  return () => readAgain(queries, kinds);
}
