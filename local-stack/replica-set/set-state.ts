import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, Long, ObjectId, Timestamp } from 'bson';
import { RetryableWrites } from './retryable-writes';

/** What the members of a set share: who is the primary, which writes were done, and which faults are injected. */
export class SetState {
  readonly hosts: string[] = [];
  readonly retryableWrites = new RetryableWrites();
  /** The host of the primary; undefined during an election. */
  primary: string | undefined;
  majorityLostAt: Date | undefined;
  private electionId = new ObjectId();
  private term = 0;
  private writesToCut = 0;
  private onLastCut: (() => void) | undefined;

  constructor(private readonly name: string) {}

  /** @param host undefined for none. */
  elect(host: string | undefined): void {
    this.term += 1;
    // Clients take the primary of the greatest id.
    this.electionId = new ObjectId(this.term.toString(16).padStart(24, '0'));
    this.primary = host;
  }

  async stepDown(electionMs: number): Promise<void> {
    const next = this.hosts.find((host) => host !== this.primary);
    this.primary = undefined;
    await sleep(electionMs);
    this.elect(next);
  }

  cutAfterWrites(count: number): Promise<void> {
    this.writesToCut = count;
    return new Promise((resolve) => {
      this.onLastCut = resolve;
    });
  }

  /** Whether the connection of this write is cut. */
  takeCut(): boolean {
    if (this.writesToCut === 0) return false;
    this.writesToCut -= 1;
    if (this.writesToCut === 0) this.onLastCut?.();
    return true;
  }

  /** What a member of the set says of itself, beside what the database says. */
  helloOf(host: string): Document {
    const isPrimary = host === this.primary;
    const now = new Date();
    const opTime = {
      ts: new Timestamp({ t: Math.floor(now.getTime() / 1_000), i: 1 }),
      t: new Long(this.term),
    };
    return {
      setName: this.name,
      setVersion: 1,
      hosts: this.hosts,
      me: host,
      ...(this.primary !== undefined && { primary: this.primary }),
      ...(isPrimary && { electionId: this.electionId }),
      isWritablePrimary: isPrimary,
      ismaster: isPrimary,
      secondary: !isPrimary,
      lastWrite: {
        opTime,
        lastWriteDate: now,
        majorityOpTime: opTime,
        majorityWriteDate: this.majorityLostAt ?? now,
      },
    };
  }
}
