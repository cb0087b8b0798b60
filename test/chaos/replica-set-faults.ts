import { setTimeout as sleep } from 'node:timers/promises';
import { TemporaryReplicaSet } from 'messaging-gateway-local-stack/replica-set';

export const REPLICA_SET_FAULTS = [
  'database primary',
  'database primary steps down',
  'database answers lost',
  'database without majority',
] as const;
export type ReplicaSetFault = (typeof REPLICA_SET_FAULTS)[number];

export const isReplicaSetFault = (name: string): name is ReplicaSetFault =>
  REPLICA_SET_FAULTS.some((fault) => fault === name);

/** As with MongoDB's default settings on a quiet network. */
const ELECTION_MS = 2_000;
const LOST_ANSWERS = 20;
const CUTS_MS = 5_000;

/** The replica set of a run, and its faults. */
export class ReplicaSetFaults {
  private constructor(private readonly set: TemporaryReplicaSet) {}

  static async start(databaseUri: string): Promise<ReplicaSetFaults> {
    return new ReplicaSetFaults(await TemporaryReplicaSet.start(databaseUri));
  }

  get uri(): string {
    return this.set.uri;
  }

  /** Resolves when the set is whole again. */
  async inject(fault: ReplicaSetFault, downMs: number): Promise<void> {
    switch (fault) {
      case 'database primary':
        return this.set.killPrimary(downMs, ELECTION_MS);
      case 'database primary steps down':
        return this.set.stepDown(ELECTION_MS);
      case 'database answers lost':
        await Promise.race([this.set.cutAfterWrites(LOST_ANSWERS), sleep(CUTS_MS)]);
        // What is left must not hit the checks after the faults.
        void this.set.cutAfterWrites(0);
        return;
      case 'database without majority':
        this.set.loseMajority();
        await sleep(downMs);
        this.set.regainMajority();
    }
  }

  stop(): Promise<void> {
    return this.set.stop();
  }
}
