import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARD_KEYS, UNSHARDED } from '../../src/infrastructure/mongo/shard-keys';
import { AssembledService } from './assembled-service';
import { callEverything } from './calls';
import { extractLookups } from './lookup';
import { readPlan } from './plan';
import { type PlannedLookup, type Reasons, type StoredIndex, writeQueryList } from './query-list';
import { Recorder } from './recorder';
import { SCATTERED, shardingFaults } from './sharded-collections';
import { storeInstallation } from './stored';

const DOCUMENT = join(__dirname, '../../docs/operate/scaling.md');
const [BEGIN, END] = ['<!-- queries -->', '<!-- end of queries -->'];

/** Collections that are used without a model. */
const WITHOUT_MODEL = ['leases', 'migrations'];

/** Queries that scan their collection, with the reason. */
const READS_ALL: Reasons = {
  'AccountsRepository.hasAny': 'stops at the first',
  'AccountsRepository.listIdsAfter': 'the first page in the order of `_id`',
  'WebhookSubscriptionsRepository.listWithSecret': 'the first page in the order of `_id`',
  'InstallationSecretsRepository.list': 'there is a handful',
  'PlansRepository.list': 'there is a handful',
};

/** Queries that sort in memory, with the reason. */
const SORTS: Reasons = {
  'ApiKeysRepository.list': 'sorts the keys of one account',
  'ContactPagesRepository.list':
    'sorts what a search finds (at most 5,000), or further pages of a short list (at most 2,000)',
  'ContactPagesRepository.searchNumbers': 'sorts what a search finds (at most 5,000)',
  'DevicesRepository.listEnabledByHeartbeat': 'sorts the devices of one account',
  'MessageListRepository.list': 'sorts the messages of one batch (at most 10,000), or with one number',
  'PoolMessagesRepository.findPreviousSims': 'sorts the messages of 50 numbers in 90 days',
  'SimsRepository.findBySubscription': 'sorts the SIMs that a phone had under one subscription id',
  'SuppressionsRepository.list': 'sorts the blocks of one number in a few spellings',
  'WebhookSubscriptionsRepository.listLabels': 'sorts the webhooks of one account, deleted ones included',
  'WebhookSubscriptionsRepository.list': 'sorts the webhooks of one account, which has few places',
};

/** Queries for which DocumentDB reads two indexes and intersects them, with the reason why neither is long. */
const INTERSECTS: Reasons = {
  'ApiKeysRepository.remove': 'one key has the hash',
  'BatchCancellationsRepository.listOf': 'few cancellations are in progress',
  'CancellationRepository.markCancelRequested': 'a batch, and what its phone has not acknowledged',
  'PairingCodesRepository.redeem': 'one code has the hash',
};

describe('every query of the service', () => {
  let service: AssembledService;
  let recorder: Recorder;
  let lookups: PlannedLookup[];
  let indexes: StoredIndex[];
  /** MongoDB may choose between several plans; DocumentDB always uses the same one. */
  let isDocumentDb = false;

  beforeAll(async () => {
    service = await AssembledService.assemble();
    const stored = await storeInstallation(service, new Date());
    recorder = new Recorder(service);
    await callEverything(service, stored);
    lookups = await explainAll();
    indexes = await listIndexes();
  }, 900_000);

  afterAll(() => service.stop());

  async function explainAll(): Promise<PlannedLookup[]> {
    const database = service.connection.getClient().db(service.connection.name);
    const planned = new Map<string, PlannedLookup>();
    for (const lookup of recorder.commands.flatMap(extractLookups)) {
      const { by, collection, operation, conditions, sort, explainable } = lookup;
      const key = JSON.stringify([by, collection, operation, conditions, sort, explainable.hint]);
      if (planned.has(key)) continue;
      const answer = await database.command({ explain: explainable, verbosity: 'queryPlanner' });
      isDocumentDb ||= 'postgres' in answer;
      planned.set(key, { ...lookup, plan: readPlan(answer) });
    }
    return [...planned.values()];
  }

  async function listIndexes(): Promise<StoredIndex[]> {
    const found = Object.values(service.connection.models).map(async ({ collection }) =>
      (await collection.indexes()).map((index) => ({ ...index, collection: collection.name }) as StoredIndex),
    );
    return (await Promise.all(found)).flat();
  }

  const described = ({ by, operation, conditions, sort }: PlannedLookup) =>
    `${by}: ${operation} ${conditions.join(', ')}, sorted by ${sort.join(', ') || 'nothing'}`;

  it('is covered: this test calls every repository method', () => {
    expect(recorder.uncalled).toEqual([]);
    expect(new Set(lookups.map(({ by }) => by)).size).toBeGreaterThan(100);
  });

  it('uses an index or has a documented reason not to', () => {
    const unserved = lookups.filter(({ by, plan }) =>
      plan.readsAll ? !(by in READS_ALL) : plan.indexes.length === 0,
    );
    expect(unserved.map(described)).toEqual([]);
  });

  it('sorts by an index or has a documented reason not to', () => {
    const sorting = lookups.filter(
      ({ by, plan, explainable }) =>
        // Only the messages of a batch may be sorted in memory: the query names its index.
        plan.sorts && (!(by in SORTS) || (by === 'MessageListRepository.list' && !explainable.hint)),
    );
    expect(sorting.map(described)).toEqual([]);
  });

  it('reads one index, or two that are short', () => {
    const intersecting = lookups.filter(({ by, plan }) => plan.indexes.length > 1 && !(by in INTERSECTS));
    expect(isDocumentDb ? intersecting.map(described) : []).toEqual([]);
  });

  it('needs all indexes: none is unused or the prefix of another', () => {
    const used = new Set(
      lookups.flatMap(({ collection, plan }) => plan.indexes.map((name) => `${collection} ${name}`)),
    );
    const idle = indexes.filter(
      ({ collection, name, unique, expireAfterSeconds }) =>
        name !== '_id_' && !unique && expireAfterSeconds === undefined && !used.has(`${collection} ${name}`),
    );
    expect(isDocumentDb ? idle : []).toEqual([]);
    expect(indexes.filter((index) => indexes.some((other) => isBeginningOf(index, other)))).toEqual([]);
  });

  it('has a shard key for each collection, or a reason to leave it on one shard', () => {
    const planned = [...Object.keys(SHARD_KEYS), ...Object.keys(UNSHARDED)];
    const { models } = service.connection;
    const known = [...Object.values(models).map(({ collection }) => collection.name), ...WITHOUT_MODEL];
    expect(planned.sort()).toEqual(known.sort());
  });

  it('can shard its collections: a unique index begins with the shard key, and no part of that is hashed', () => {
    const refused = indexes.filter(({ collection, name, key, unique }) => {
      const shardKey = SHARD_KEYS[collection];
      if (!shardKey || !unique || name === '_id_') return false;
      const beginning = Object.entries(key).slice(0, Object.keys(shardKey).length);
      return JSON.stringify(beginning) !== JSON.stringify(Object.entries(shardKey));
    });
    expect(refused).toEqual([]);
  });

  it('has an index for each shard key, or is given one when it is sharded', () => {
    const unserved = Object.entries(SHARD_KEYS).filter(([collection, key]) => {
      const fields = Object.entries(key);
      const isServed = indexes.some(
        (index) =>
          index.collection === collection &&
          !index.partialFilterExpression &&
          JSON.stringify(Object.entries(index.key).slice(0, fields.length)) === JSON.stringify(fields),
      );
      return !isServed && !Object.values(key).includes('hashed');
    });
    expect(unserved).toEqual([]);
  });

  it('names the account, unless it is to ask all shards', () => {
    expect(shardingFaults(lookups, recorder.inserts)).toEqual([]);
    const methods = new Set(lookups.map(({ by, operation }) => `${by}: ${operation}`));
    expect(Object.keys(SCATTERED).filter((known) => !methods.has(known))).toEqual([]);
  });

  it('waits for the majority of a replica set, if it writes', () => {
    const writes = [...recorder.inserts, ...recorder.commands].filter(({ command }) =>
      ['insert', 'update', 'delete', 'findAndModify'].some((name) => name in command),
    );
    const others = writes.filter(
      ({ command }) => (command as { writeConcern?: { w?: unknown } }).writeConcern?.w !== 'majority',
    );
    expect(writes.length).toBeGreaterThan(100);
    expect(others.map(({ by }) => by)).toEqual([]);
  });

  it('is in docs/operate/scaling.md with its index', () => {
    const list = writeQueryList(indexes, lookups, {
      readsAll: READS_ALL,
      sorts: SORTS,
      scattered: SCATTERED,
    });
    const document = readFileSync(DOCUMENT, 'utf8');
    const [before = '', written = '', after = ''] = document.split(new RegExp(`${BEGIN}|${END}`));
    if (process.env.WRITE_QUERIES) {
      writeFileSync(DOCUMENT, `${before}${BEGIN}\n\n${list}\n${END}${after}`);
    } else if (isDocumentDb) {
      // To update the document: WRITE_QUERIES=1 npm test -- test/queries
      expect(written.trim()).toBe(list.trim());
    } else {
      const methods = new Set(lookups.map(({ by }) => by));
      expect([...methods].filter((method) => !written.includes(`\`${method}\``))).toEqual([]);
    }
  });
});

/** Whether one index makes the other redundant. */
function isBeginningOf(index: StoredIndex, other: StoredIndex): boolean {
  if (index === other || index.collection !== other.collection) return false;
  if (index.unique || index.expireAfterSeconds !== undefined) return false;
  const [key, otherKey] = [index.key, other.key].map((each) => Object.entries(each));
  const [part, otherPart] = [index, other].map(({ partialFilterExpression = {} }) =>
    JSON.stringify(partialFilterExpression),
  );
  return (
    (otherPart === '{}' || otherPart === part) &&
    JSON.stringify(otherKey?.slice(0, key?.length)) === JSON.stringify(key)
  );
}
