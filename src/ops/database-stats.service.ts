import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { tryWithTimeout } from '../common/try-with-timeout';
import { CONNECTION_STATES, type ConnectionState } from '../devices/states/connection-state';
import { OperationalOutboxes } from '../devices/outbox/operational-outboxes';
import { DevicesRepository } from '../devices/store/devices.repository';
import { WavesRepository } from '../gateway/waves/waves.repository';
import { MessagesRepository } from '../messages/messages.repository';
import { OutboxRepository } from '../messages/outbox/outbox.repository';
import { DAY_MS, HOUR_MS } from '../common/durations';

/** Counting stops here, so that a scrape stays cheap: the value means this many or more. */
export const MAX_COUNTED = 10_000;

/** Statistics over all accounts. */
export interface DatabaseStats {
  readonly messages: Readonly<Record<'pending' | 'dispatched', number>>;
  /** Age of the oldest overdue item. */
  readonly overdueMs: Readonly<Record<'dispatch' | 'relay', number>>;
  /** Messages, devices and SIMs whose events cannot be relayed. */
  readonly setAsideEvents: number;
  /** Enabled devices, by when they were last seen. */
  readonly devices: Readonly<Record<'hour' | 'day' | 'earlier' | 'never', number>>;
  /** Enabled devices, by the state of their last check. */
  readonly connections: Readonly<Record<ConnectionState, number>>;
}

/** Every query is bounded and uses an index. */
@Injectable()
export class DatabaseStatsService {
  constructor(
    private readonly waves: WavesRepository,
    private readonly messages: MessagesRepository,
    private readonly outbox: OutboxRepository,
    private readonly devices: DevicesRepository,
    private readonly operational: OperationalOutboxes,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined when the database is unavailable. */
  read(): Promise<DatabaseStats | undefined> {
    return tryWithTimeout(this.count());
  }

  private async count(): Promise<DatabaseStats> {
    const now = this.clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    const heard = (after: Date, upTo: Date) =>
      this.devices.countByLastHeartbeat({ after, upTo }, MAX_COUNTED);
    const outboxes = [this.outbox, this.operational.devices, this.operational.sims];
    const [pending, dispatched, oldestDue, oldestEvents, hour, day, earlier, never, setAside, connections] =
      await Promise.all([
        this.messages.countPending(MAX_COUNTED),
        this.messages.countDispatched(MAX_COUNTED),
        this.waves.findOldestDueTime(now),
        Promise.all(outboxes.map((outbox) => outbox.findOldestDueTime(now))),
        heard(before(HOUR_MS), now),
        heard(before(DAY_MS), before(HOUR_MS)),
        heard(new Date(0), before(DAY_MS)),
        this.devices.countWithoutHeartbeat(MAX_COUNTED),
        Promise.all(outboxes.map((outbox) => outbox.countSetAside(now, MAX_COUNTED))),
        Promise.all(CONNECTION_STATES.map((state) => this.devices.countByConnection(state, MAX_COUNTED))),
      ]);
    const age = (since: Date | undefined) => (since ? now.getTime() - since.getTime() : 0);
    const [online = 0, unresponsive = 0, offline = 0] = connections;
    return {
      messages: { pending, dispatched },
      overdueMs: { dispatch: age(oldestDue), relay: Math.max(...oldestEvents.map(age)) },
      setAsideEvents: setAside.reduce((sum, count) => sum + count, 0),
      devices: { hour, day, earlier, never },
      connections: { online, unresponsive, offline },
    };
  }
}
