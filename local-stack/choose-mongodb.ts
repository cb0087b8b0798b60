/** Where a MongoDB of our own can come from. */
export type MongodbSource = 'mongod-on-path' | 'mongod-download' | 'documentdb';

/** What the machine offers. */
export interface MachineFacts {
  readonly mongodOnPath: boolean;
  /** A mongod that an earlier set-up has downloaded. */
  readonly mongodDownloaded: boolean;
  readonly downloadFailedAt: number | undefined;
  readonly now: number;
  /** Debian, or a system made from it. */
  readonly debian: boolean;
  readonly root: boolean;
  /** Where the data of an earlier set-up is. */
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
 * The sources to try, best first: a `mongod` on the PATH, one that can be downloaded, DocumentDB on Debian as root.
 * The one that holds an earlier set-up's data comes before all others: a second run must not start from nothing because
 * a download that failed the first time would now succeed.
 */
export function mongodbSources(facts: MachineFacts): MongodbSource[] {
  const order: MongodbSource[] = ['mongod-on-path', 'mongod-download', 'documentdb'];
  const first = order.filter((source) => source === facts.dataSource);
  const rest = order.filter((source) => source !== facts.dataSource);
  return [...first, ...rest].filter((source) => isPossible(source, facts));
}
