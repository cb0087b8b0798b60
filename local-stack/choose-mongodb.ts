export type MongodbSource = 'mongod-on-path' | 'mongod-download' | 'documentdb';

export interface MachineFacts {
  readonly mongodOnPath: boolean;
  readonly mongodDownloaded: boolean;
  readonly downloadFailedAt: number | undefined;
  readonly now: number;
  /** Debian or a derivative. */
  readonly debian: boolean;
  readonly root: boolean;
  /** The source that holds the data of an earlier set-up. */
  readonly dataSource: MongodbSource | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

function isPossible(source: MongodbSource, facts: MachineFacts): boolean {
  switch (source) {
    case 'mongod-on-path':
      return facts.mongodOnPath;
    case 'mongod-download': {
      const { downloadFailedAt, now } = facts;
      return facts.mongodDownloaded || downloadFailedAt === undefined || now - downloadFailedAt >= DAY_MS;
    }
    case 'documentdb':
      return facts.debian && facts.root;
  }
}

/**
 * The possible sources in order of preference. The source that holds existing data comes first, so that the data is
 * found again.
 */
export function mongodbSources(facts: MachineFacts): MongodbSource[] {
  const order: MongodbSource[] = ['mongod-on-path', 'mongod-download', 'documentdb'];
  const first = order.filter((source) => source === facts.dataSource);
  const rest = order.filter((source) => source !== facts.dataSource);
  return [...first, ...rest].filter((source) => isPossible(source, facts));
}
