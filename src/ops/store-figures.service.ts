import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { withinLimit } from '../common/redis/within-limit';
import { DevicesRepository } from '../devices/devices.repository';
import { DispatchRepository } from '../messages/dispatch.repository';
import { MessageCountsRepository } from '../messages/message-counts.repository';
import { OutboxRepository } from '../messages/outbox.repository';

/** Nothing is counted past this: a figure that has reached it means this many or more. */
export const MOST_COUNTED = 10_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What stands in the database, over all accounts. */
export interface StoreFigures {
  readonly messages: Readonly<Record<'pending' | 'dispatched', number>>;
  /** How long what is due waits already. */
  readonly overdueMs: Readonly<Record<'dispatch' | 'relay', number>>;
  /** Messages whose events are set aside because they cannot be relayed. */
  readonly setAsideEvents: number;
  /** Enabled devices, by when they were last heard. */
  readonly devices: Readonly<Record<'hour' | 'day' | 'earlier' | 'never', number>>;
}

/** Reads figures from the database; each is one bounded step along an index. */
@Injectable()
export class StoreFiguresService {
  constructor(
    private readonly dispatch: DispatchRepository,
    private readonly counts: MessageCountsRepository,
    private readonly outbox: OutboxRepository,
    private readonly devices: DevicesRepository,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined when the database is away, or does not answer within a second. */
  read(): Promise<StoreFigures | undefined> {
    return withinLimit(this.count());
  }

  private async count(): Promise<StoreFigures> {
    const now = this.clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    const heard = (after: Date, upTo: Date) => this.devices.countHeard({ after, upTo }, MOST_COUNTED);
    const [pending, dispatched, oldestDue, oldestEvent, hour, day, earlier, never, setAside] =
      await Promise.all([
        this.counts.countPending(MOST_COUNTED),
        this.counts.countDispatched(MOST_COUNTED),
        this.dispatch.oldestDue(now),
        this.outbox.oldest(now),
        heard(before(HOUR_MS), now),
        heard(before(DAY_MS), before(HOUR_MS)),
        heard(new Date(0), before(DAY_MS)),
        this.devices.countNeverHeard(MOST_COUNTED),
        this.outbox.countSetAside(now, MOST_COUNTED),
      ]);
    const age = (since: Date | undefined) => (since ? now.getTime() - since.getTime() : 0);
    return {
      messages: { pending, dispatched },
      overdueMs: { dispatch: age(oldestDue), relay: age(oldestEvent) },
      setAsideEvents: setAside,
      devices: { hour, day, earlier, never },
    };
  }
}
