import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { upsertWithRetry } from './duplicate-key';

/** All times are the database's. */
interface Lease {
  readonly _id: string;
  readonly heldBy?: mongo.ObjectId;
  readonly heldUntil: Date;
  readonly acquiredAt?: Date;
  readonly lastAcquiredAt?: Date;
}

/** A lease that this process has acquired. */
export interface AcquiredLease {
  readonly acquiredAt: Date;
  /** When it was acquired the time before. */
  readonly lastAcquiredAt?: Date;
  /** False once the lease is lost, and another process may hold it, or when this process stops. */
  readonly isHeld: () => boolean;
  /** Nobody can acquire the lease for this time after its release. */
  readonly holdOffFor: (ms: number) => void;
}

const EPOCH = new Date(0);

/** Leases of tasks that one process at a time runs. If it dies, another one can acquire the lease once it has expired. */
@Injectable()
export class Leases implements OnModuleDestroy {
  private isStopping = false;

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Runs a task with a lease, which is renewed until the task ends.
   * @returns undefined if another process holds the lease.
   */
  async run<Result>(
    id: string,
    leaseMs: number,
    task: (lease: AcquiredLease) => Promise<Result>,
  ): Promise<Result | undefined> {
    const heldBy = new mongo.ObjectId();
    const acquired = await this.acquire(id, heldBy, leaseMs);
    if (!acquired) return undefined;
    let isHeld = true;
    const renewal = setInterval(() => {
      this.extend(id, heldBy, leaseMs).then(
        (isExtended) => (isHeld = isExtended),
        // While the database is unreachable, the lease may expire and another process may acquire it.
        () => (isHeld = false),
      );
    }, leaseMs / 3);
    let holdOffMs = 0;
    try {
      return await task({
        ...acquired,
        isHeld: () => isHeld && !this.isStopping,
        holdOffFor: (ms) => (holdOffMs = ms),
      });
    } finally {
      clearInterval(renewal);
      await this.extend(id, heldBy, holdOffMs).catch(() => undefined);
    }
  }

  /** Takes leases from their holders, and lets any process acquire them now. */
  async revoke(ids: readonly string[]): Promise<void> {
    const update = { $currentDate: { heldUntil: true }, $unset: { heldBy: 1 } } as const;
    await this.leases.updateMany({ _id: { $in: ids } }, update);
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  private get leases(): mongo.Collection<Lease> {
    return this.connection.getClient().db(this.connection.name).collection('leases');
  }

  private async acquire(
    _id: string,
    heldBy: mongo.ObjectId,
    leaseMs: number,
  ): Promise<Pick<AcquiredLease, 'acquiredAt' | 'lastAcquiredAt'> | null> {
    await upsertWithRetry(() =>
      this.leases.updateOne({ _id }, { $setOnInsert: { heldUntil: EPOCH } }, { upsert: true }),
    );
    const heldUntil = { $add: ['$$NOW', leaseMs] };
    const acquired = await this.leases.findOneAndUpdate(
      { _id, $expr: { $lte: ['$heldUntil', '$$NOW'] } },
      [{ $set: { heldBy, heldUntil, acquiredAt: '$$NOW', lastAcquiredAt: '$acquiredAt' } }],
      { returnDocument: 'after' },
    );
    return acquired?.acquiredAt ? { ...acquired, acquiredAt: acquired.acquiredAt } : null;
  }

  /** @returns false if the lease is lost. */
  private async extend(_id: string, heldBy: mongo.ObjectId, ms: number): Promise<boolean> {
    const heldUntil = { $add: ['$$NOW', ms] };
    const { matchedCount } = await this.leases.updateOne({ _id, heldBy }, [{ $set: { heldUntil } }]);
    return matchedCount === 1;
  }
}
