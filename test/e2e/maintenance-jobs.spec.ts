import { Types } from 'mongoose';
import { type AcquiredLease, Leases } from '../../src/infrastructure/mongo/leases.service';
import { MAINTENANCE_JOBS } from '../../src/maintenance/maintenance-jobs';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
/** Renewed each third of it, also by a process that a busy machine lets wait for two seconds. */
const LEASE_MS = 4_000;

describe('scheduled jobs', () => {
  let service: TestService;
  let other: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'scheduler' } });
    other = await TestService.start({ environment: { APP_ROLES: 'scheduler' }, shared: service });
    for (const each of [service, other]) each.stopTimers();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const leases = () => service.collection('leases');
  let count = 0;

  /** A job that runs every hour. */
  function newJob(work: (lease: AcquiredLease) => Promise<void> | void = () => undefined) {
    const id = `test:${(count += 1)}`;
    const done: AcquiredLease[] = [];
    const run = (at = service) =>
      at.get(Leases).run(id, LEASE_MS, async (lease) => {
        await work(lease);
        done.push(lease);
        lease.holdOffFor(HOUR);
      });
    const revoke = () => service.get(Leases).revoke([id]);
    return { id, done, run, revoke };
  }

  it('run once in all processes, and again when they are due, whatever the clocks of the processes', async () => {
    const { run, done, revoke } = newJob();
    await Promise.all([run(), run(other), run(), run(other)]);
    expect(done.length).toBe(1);
    service.clock.advance(48 * HOUR);
    await run();
    expect(done.length).toBe(1);
    await revoke();
    await Promise.all([run(), run(other)]);
    expect(done.length).toBe(2);
    expect(done[1]?.lastAcquiredAt).toEqual(done[0]?.acquiredAt);
  });

  it('are retried at once if they fail', async () => {
    let isFailing = true;
    const { run, done } = newJob(() => {
      if (isFailing) throw new Error('out of reach');
    });
    await expect(run()).rejects.toThrow('out of reach');
    isFailing = false;
    await run(other);
    expect(done.length).toBe(1);
  });

  it('run in another process once the lease of a dead one has expired, and not before', async () => {
    let isHanging = false;
    let die: (() => void) | undefined;
    const { id, run, done } = newJob(() => {
      if (isHanging) return undefined;
      isHanging = true;
      return new Promise<void>((_, reject) => {
        die = () => {
          reject(new Error('killed'));
        };
      });
    });
    const dead = expect(run()).rejects.toThrow('killed');
    await eventually(
      () => isHanging,
      (each) => each,
    );
    // The lease of a process that lives is renewed.
    await new Promise((resolve) => setTimeout(resolve, 1.5 * LEASE_MS));
    await run(other);
    expect(done.length).toBe(0);
    // It no longer renews it.
    const expired = { heldUntil: new Date(), heldBy: new Types.ObjectId() };
    await leases().updateOne({ _id: id as never }, { $set: expired });
    await run(other);
    expect(done.length).toBe(1);
    die?.();
    await dead;
  });

  it('know that their lease is lost, and do not end that of another process', async () => {
    const { id, run, done, revoke } = newJob(async ({ isHeld }) => {
      if (done.length > 0) return;
      expect(isHeld()).toBe(true);
      await revoke();
      done.push({ acquiredAt: new Date(), isHeld, holdOffFor: () => undefined });
      await run(other);
      await eventually(isHeld, (held) => !held);
    });
    await run();
    expect(done.length).toBe(3);
    const lease = await leases().findOne({ _id: id as never });
    expect((lease?.heldUntil as Date).getTime()).toBeGreaterThan(Date.now() + HOUR / 2);
  });

  it('are due after their run when they are made due during it', async () => {
    const { run, done, revoke } = newJob(async () => {
      if (done.length === 0) await revoke();
    });
    await run();
    await run(other);
    await run();
    expect(done.length).toBe(2);
  });

  it('of the service do not wait for each other', async () => {
    const scheduler = service.get(MaintenanceScheduler);
    await scheduler.runDue();
    const heldUntil = async () => {
      const lease = await leases().findOne<{ heldUntil: Date }>({ _id: 'rollups' as never });
      return lease?.heldUntil.getTime() ?? 0;
    };
    await service.newAccount();
    const retention = pauseNextCall(service, MessageRetention, 'maintain');
    await service.get(Leases).revoke(MAINTENANCE_JOBS);
    const running = scheduler.runDue();
    await retention.reached;
    await eventually(heldUntil, (each) => each > Date.now() + 40_000);
    retention.release(false);
    await running;
  });

  it('of the service are done in one process', async () => {
    await service.get(Leases).revoke(MAINTENANCE_JOBS);
    const totals = [service, other].map((each) => jest.spyOn(each.get(MessageRetention), 'maintain'));
    await service.newAccount();
    const accounts = await service.collection('accounts').countDocuments();
    await Promise.all([service, other].map((each) => each.get(MaintenanceScheduler).runDue()));
    expect(totals.map(({ mock }) => mock.calls.length).sort()).toEqual([0, accounts]);
    const paused = await leases()
      .find({ heldUntil: { $gt: new Date(Date.now() + 30_000) } })
      .toArray();
    const names = paused.map(({ _id }) => String(_id)).filter((name) => !name.startsWith('test:'));
    expect(names.sort()).toEqual([...MAINTENANCE_JOBS].sort());
  });
});
