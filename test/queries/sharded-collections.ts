import { SHARD_KEYS } from '../../src/infrastructure/mongo/shard-keys';
import type { Lookup } from './lookup';
import type { Reasons } from './query-list';
import type { RecordedCommand } from './recorder';
import { changedKeyFields, routingOf } from './shard-routing';

const SWEEP = 'sweep of all accounts';
const RELAY = 'relay of all accounts';
const METRIC = 'metric of the installation';
const OPERATOR = 'command of the operator';

/** Queries of sharded collections that ask all shards, with the reason. */
export const SCATTERED: Reasons = {
  'BatchChangesRepository.listInterrupted: find': SWEEP,
  'BatchesRepository.findOwner: find': 'job of an earlier version',
  'BatchCancellationsRepository.listUnfinished: find': SWEEP,
  'BatchesRepository.listUnaccepted: find': SWEEP,
  'CancellationRepository.listExpired: find': SWEEP,
  'ConversationMessagesRepository.claimDue: find': SWEEP,
  'ConversationsRepository.claimDue: find': SWEEP,
  'DeliveriesRepository.findNextScheduled: find': 'sweep of all webhooks',
  'WavesRepository.listOverdueMoves: aggregate': SWEEP,
  'WavesRepository.listOverdueWaves: aggregate': SWEEP,
  'WavesRepository.findOldestDueTime: find': METRIC,
  'MessagesRepository.countDispatched: count': METRIC,
  'MessagesRepository.countPending: count': METRIC,
  'OutboxRepository.claim: aggregate': RELAY,
  'OutboxRepository.countSetAside: count': METRIC,
  'OutboxRepository.findOldestDueTime: find': METRIC,
  'OutboxRepository.isOverdue: find': RELAY,
  'OutboxRepository.listIsolated: find': RELAY,
  'OutboxRepository.listSetAside: find': OPERATOR,
  'OutboxRepository.retrySetAside: update': OPERATOR,
  'UnconfirmedMessagesRepository.listUnreported: find': SWEEP,
  'WaitingMessagesRepository.countByReason: aggregate': METRIC,
};

/** What would fail on a sharded cluster, or ask more shards than it needs. */
export function shardingFaults(lookups: readonly Lookup[], inserts: readonly RecordedCommand[]): string[] {
  const faults = [...lookups.flatMap(faultsOf), ...inserts.flatMap(incompleteKeys)];
  return [...new Set(faults)].sort();
}

export const isScattered = ({ by, operation }: Pick<Lookup, 'by' | 'operation'>): boolean =>
  `${by}: ${operation}` in SCATTERED;

function faultsOf(lookup: Lookup): string[] {
  const { by, collection, operation, update } = lookup;
  const key = SHARD_KEYS[collection];
  if (!key) return [];
  const routing = routingOf(lookup, key);
  const changed = update ? changedKeyFields(update, key) : [];
  return [
    ...(routing === 'refused' || (routing === 'scattered' && !isScattered(lookup))
      ? [`${by}: ${operation} of ${collection} is ${routing}: ${lookup.conditions.join(', ')}`]
      : []),
    ...(changed.length > 0 ? [`${by}: ${operation} of ${collection} changes ${changed.join(', ')}`] : []),
  ];
}

/** `message` is absent from deliveries of operational events; since MongoDB 4.4 a key may lack fields. */
function incompleteKeys({ by, command }: RecordedCommand): string[] {
  const { insert: collection, documents } = command as { insert: string; documents: object[] };
  const fields = Object.keys(SHARD_KEYS[collection] ?? {}).filter((field) => field !== 'message');
  const isComplete = documents.every((document) => fields.every((field) => field in document));
  return isComplete ? [] : [`${by}: insert into ${collection} without ${fields.join(', ')}`];
}
