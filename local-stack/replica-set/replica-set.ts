import { MemberServer } from './member-server';
import { SetState } from './set-state';

const MEMBERS = 2;
const SET_NAME = 'rs0';

/**
 * Two servers that speak as a replica set, over one database: clients see elections, members that are away, lost answers and writes
 * that the majority does not confirm. Both have the same data at once, so that no write is ever rolled back, as happens in a real set. It ends
 * with this process.
 */
export class TemporaryReplicaSet {
  private constructor(
    private readonly members: readonly MemberServer[],
    private readonly state: SetState,
    /** For a client, as the given URI. */
    readonly uri: string,
  ) {}

  /** @param databaseUri of a single server, with one host. */
  static async start(databaseUri: string): Promise<TemporaryReplicaSet> {
    const uri = new URL(databaseUri);
    const state = new SetState(SET_NAME);
    const upstream = { host: uri.hostname, port: Number(uri.port) };
    const members: MemberServer[] = [];
    while (members.length < MEMBERS) members.push(await MemberServer.start(state, upstream));
    state.elect(state.hosts[0]);
    uri.searchParams.delete('directConnection');
    uri.searchParams.set('replicaSet', SET_NAME);
    // A URL has one host.
    const ofSet = uri.href.replace(uri.host, state.hosts.join(','));
    return new TemporaryReplicaSet(members, state, ofSet);
  }

  /** The primary steps down; the other member is elected after this time. Writes in between are refused. */
  async stepDown(electionMs: number): Promise<void> {
    await this.state.stepDown(electionMs);
  }

  /** The primary is away for this time, and the other member is elected after `electionMs`. */
  async killPrimary(downMs: number, electionMs: number): Promise<void> {
    const primary = this.members.find(({ host }) => host === this.state.primary);
    if (!primary) return;
    await primary.close();
    await Promise.all([
      this.state.stepDown(electionMs),
      new Promise((resolve) => setTimeout(resolve, downMs)).then(() => primary.listen()),
    ]);
  }

  /** Cuts the connections of the next writes after they are done, before they are answered. Resolves with the last one. */
  cutAfterWrites(count: number): Promise<void> {
    return this.state.cutAfterWrites(count);
  }

  /** Writes are done but not confirmed, as if the other members were away since then, until `regainMajority`. */
  loseMajority(since = new Date()): void {
    this.state.majorityLostAt = since;
  }

  regainMajority(): void {
    this.state.majorityLostAt = undefined;
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }
}
