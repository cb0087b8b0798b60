import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { OperationalDocument } from '../../devices/events/operational-document';
import type { OperationalEntry } from '../../devices/events/operational-event';
import { OperationalOutboxes } from '../../devices/outbox/operational-outboxes';
import type { Outbox } from '../../infrastructure/mongo/outbox';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import { NoticeRecorder } from '../../notices/notice-recorder.service';
import { EventFanOutService } from './event-fan-out.service';
import { operationalDeliveries } from './event-deliveries';
import type { EventSource } from './event-source';
import { IsolatedRelayService, type SetAsideEvents } from './isolated-relay.service';
import { OutboxRelayService } from './outbox-relay.service';

/** Relays the operational events of one collection. */
interface Relay {
  readonly batched: Pick<OutboxRelayService, 'relay' | 'stop'>;
  readonly isolated: Pick<IsolatedRelayService, 'run' | 'stop' | 'listSetAside' | 'retrySetAside'>;
}

/** Relays operational events exactly like those of messages. They are rare, so they have no jobs. */
@Injectable()
export class OperationalRelayService {
  private readonly relays: readonly Relay[];

  constructor(
    outboxes: OperationalOutboxes,
    private readonly eventFanOut: EventFanOutService,
    private readonly notices: NoticeRecorder,
    private readonly clock: Clock,
  ) {
    this.relays = [this.relayOf('device', outboxes.devices), this.relayOf('SIM', outboxes.sims)];
  }

  /** Relays until nothing is due. Safe to run in several processes. */
  async relay(): Promise<void> {
    for (const { batched, isolated } of this.relays) {
      await batched.relay();
      await isolated.run();
    }
  }

  /** Lists documents that are set aside, the longest of each collection first. @param limit of each collection. */
  async listSetAside(limit: number): Promise<SetAsideEvents[]> {
    const found = await Promise.all(this.relays.map(({ isolated }) => isolated.listSetAside(limit)));
    return found.flat();
  }

  /** Makes all documents that are set aside due now. @returns how many. */
  async retrySetAside(): Promise<number> {
    let count = 0;
    for (const { isolated } of this.relays) count += await isolated.retrySetAside();
    return count;
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    for (const { batched } of this.relays) batched.stop();
    await Promise.all(this.relays.map(({ isolated }) => isolated.stop()));
  }

  private relayOf<Document extends OwnedId & OperationalDocument>(
    kind: string,
    outbox: Outbox<Document, OperationalEntry>,
  ): Relay {
    const source: EventSource<Document, OperationalEntry> = {
      kind,
      outbox,
      deliveriesOf: operationalDeliveries,
      record: (events) => this.notices.recordEvents(events),
    };
    const isolated = new IsolatedRelayService(source, this.eventFanOut, this.clock);
    return {
      isolated,
      batched: new OutboxRelayService(source, this.eventFanOut, isolated, this.clock),
    };
  }
}
