import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { SharedReads } from '../../../common/shared-reads';
import type { Device } from '../../../devices/store/device.schema';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import type { PhoneFacts } from '../../../devices/problems/phone-facts';
import { PhoneFactsReader } from '../../../devices/problems/phone-facts.service';
import { DrainRepository } from '../../drain/drain.repository';
import { MAX_QUEUE_MESSAGES } from '../send-queue/send-queue.repository';
import { SendQueueRepository } from '../send-queue/send-queue.repository';
import { AccountFactsReader } from './account-facts.service';
import { type AccountProblem, problemsOf } from './problems';
import { idsOf } from '../../../common/documents';

/** A drained phone is not checked again for this time, because counting reads all of its messages. */
const DRAINED_TTL_MS = 600_000;

/** Lists what is wrong with an account, in a number of queries that does not depend on how many phones, pools and webhooks it has. */
@Injectable()
export class ProblemsService {
  private readonly reads = new SharedReads<AccountProblem[]>();
  /** Drained phones, by `drainKey`. */
  private readonly drained = new LRUCache<string, true>({ max: 10_000, ttl: DRAINED_TTL_MS });

  constructor(
    private readonly devices: DevicesRepository,
    private readonly phones: PhoneFactsReader,
    private readonly accounts: AccountFactsReader,
    private readonly queue: SendQueueRepository,
    private readonly drains: DrainRepository,
    private readonly clock: Clock,
  ) {}

  /** The problems of the account, errors first. Concurrent callers share them. */
  list(account: AccountScope): Promise<AccountProblem[]> {
    return this.reads.get(account.user.toHexString(), () => this.read(account));
  }

  private async read(account: AccountScope): Promise<AccountProblem[]> {
    const devices = await this.devices.list(account);
    const [phones, ofAccount] = await Promise.all([
      this.phones.of(account, devices),
      this.accounts.read(account),
    ]);
    const [waiting, drained] = await Promise.all([
      this.countWaiting(account, phones),
      this.findDrained(account, devices),
    ]);
    return problemsOf({ ...ofAccount, phones, waiting, drained, now: this.clock.now() });
  }

  /** Messages that wait on the server, or that the phone has not answered. */
  private async countWaiting(
    account: AccountScope,
    phones: readonly PhoneFacts[],
  ): Promise<ReadonlyMap<string, number>> {
    const silent = phones.filter(({ connection }) => connection.state !== 'online');
    const ids = silent.map(({ device }) => device._id);
    if (ids.length === 0) return new Map();
    const [waiting, unanswered] = await Promise.all([
      this.queue.countByDevice(account, MAX_QUEUE_MESSAGES),
      this.queue.countUnanswered(account, ids, MAX_QUEUE_MESSAGES),
    ]);
    const hexIds = ids.map((id) => id.toHexString());
    return new Map(hexIds.map((id) => [id, (waiting.get(id) ?? 0) + (unanswered.get(id) ?? 0)]));
  }

  private async findDrained(account: AccountScope, devices: readonly Device[]): Promise<ReadonlySet<string>> {
    const draining = devices.filter(({ drainingSince }) => drainingSince);
    const unknown = draining.filter((device) => !this.drained.has(drainKey(device)));
    if (unknown.length > 0) {
      const counts = await this.drains.countByDevice(account, idsOf(unknown));
      for (const device of unknown) {
        const { remaining = 0, unreported = 0 } = counts.get(device._id.toHexString()) ?? {};
        if (remaining === 0 && unreported === 0) this.drained.set(drainKey(device), true);
      }
    }
    const drained = draining.filter((device) => this.drained.has(drainKey(device)));
    return new Set(drained.map(({ _id }) => _id.toHexString()));
  }
}

const drainKey = ({ _id, drainingSince }: Device): string =>
  `${_id.toHexString()} ${String(drainingSince?.getTime())}`;
