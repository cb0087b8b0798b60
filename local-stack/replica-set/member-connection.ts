import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, type Document, serialize } from 'bson';
import { type BsonElement, documentOf, elementsOf } from '../documentdb/proxy/bson-elements';
import { type Reply, type WireRequest } from '../documentdb/proxy/wire-message';
import { type SetState } from './set-state';
import { type Upstream } from './upstream';

const HELLO: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify']);

/** Commands that every member executes. */
const ON_ANY_MEMBER: ReadonlySet<string> = new Set([
  'saslStart',
  'saslContinue',
  'ping',
  'endSessions',
  'buildInfo',
  'buildinfo',
  'killCursors',
]);

/** Much shorter than a real set waits, so that a run is not over before much has failed. */
const UNCONFIRMED_MS = 200;

interface SessionWrite {
  readonly session: string;
  readonly number: string;
}

/** Executes the commands of one client at one member of the set. */
export class MemberConnection {
  constructor(
    private readonly state: SetState,
    private readonly host: string,
    private readonly upstream: Upstream,
  ) {}

  /** @returns undefined if the connection is cut instead. @throws Error if the database is lost. */
  async execute(request: WireRequest): Promise<Reply | undefined> {
    const [command] = elementsOf(request.body);
    const name = command?.name ?? '';
    if (HELLO.has(name)) return this.hello(request);
    if (ON_ANY_MEMBER.has(name)) return this.upstream.call(request.body, request.sequences);
    const isRetryable = sessionWriteOf(request.body) !== undefined;
    if (!this.isPrimary()) return refusal(10107, 'NotWritablePrimary', 'not primary', isRetryable);
    if (!WRITES.has(name)) return this.upstream.call(request.body, request.sequences);
    const reply = await this.write(request);
    if (this.state.takeCut()) return undefined;
    if (!this.isPrimary())
      return refusal(11602, 'InterruptedDueToReplStateChange', 'operation was interrupted', isRetryable);
    if (!this.state.majorityLostAt) return reply;
    await sleep(UNCONFIRMED_MS);
    return { ...reply, writeConcernError: UNCONFIRMED };
  }

  close(): void {
    this.upstream.close();
  }

  private async hello({ body, legacy, sequences }: WireRequest): Promise<Document> {
    // A connection of monitoring has no session; drivers send the first `hello` without a database.
    const known = legacy ? Buffer.from(serialize({ ...deserialize(body), $db: 'admin' })) : body;
    const { topologyVersion: _, ...reply } = await this.upstream.callDecoded(known, sequences);
    return { ...reply, ...this.state.helloOf(this.host) };
  }

  /** Each write once, whatever member it is repeated at. */
  private write({ body, sequences }: WireRequest): Promise<Document> {
    const call = (command: Buffer) => this.upstream.callDecoded(command, sequences);
    const write = sessionWriteOf(body);
    if (!write) return call(body);
    // A single server refuses numbers of writes.
    const kept = [...elementsOf(body)].filter(({ name }) => name !== 'txnNumber');
    return this.state.retryableWrites.run(write.session, write.number, () => call(documentOf(body, kept)));
  }

  private isPrimary(): boolean {
    return this.state.primary === this.host;
  }
}

/** The number of a write that the client may repeat; not of a command in a transaction. */
function sessionWriteOf(body: Buffer): SessionWrite | undefined {
  const elements = new Map<string, BsonElement>();
  for (const element of elementsOf(body)) elements.set(element.name, element);
  const [session, number] = [elements.get('lsid'), elements.get('txnNumber')];
  if (!session || !number || elements.has('autocommit')) return undefined;
  const hex = ({ valueStart, end }: BsonElement) => body.toString('hex', valueStart, end);
  return { session: hex(session), number: hex(number) };
}

const UNCONFIRMED = {
  code: 64,
  codeName: 'WriteConcernTimeout',
  errmsg: 'waiting for replication timed out',
  errInfo: { wtimeout: true },
};

function refusal(code: number, codeName: string, errmsg: string, isRetryable: boolean): Document {
  return { ok: 0, code, codeName, errmsg, ...(isRetryable && { errorLabels: ['RetryableWriteError'] }) };
}
