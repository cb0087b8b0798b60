import { Types } from 'mongoose';
import type { OperationalEntry } from '../../src/devices/events/operational-event';
import { simEvent } from '../../src/devices/sims/sim-event';
import type { SimRecord } from '../../src/devices/sims/schemas/sim.schema';
import type { TestService } from './service';

/** Stores the event of a SIM that its carrier blocks. */
export async function raiseSimUnhealthy(service: TestService, sim: string): Promise<OperationalEntry> {
  const now = service.clock.now();
  const sims = service.collection('sims');
  const _id = new Types.ObjectId(sim);
  const record = (await sims.findOne({ _id })) as unknown as SimRecord;
  const details = { state: 'open', kind: 'failures', since: now.toISOString(), failureRate: 0.87 } as const;
  const entry = simEvent('SIM_UNHEALTHY', record, details, now);
  await sims.updateOne({ _id }, { $set: { relayDueAt: now }, $push: { outbox: entry } as object });
  return entry;
}
