import { Types } from 'mongoose';
import { ScheduledJobs } from '../../src/maintenance/jobs/scheduled-jobs.service';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';

const HOUR = 3_600_000;

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

  const items = Array.from({ length: 5 }, () => new Types.ObjectId());
  const jobs = () => service.collection('maintenancejobs');
  let count = 0;

  /** A job over all items, one per step. */
  function newJob(onStep: (item: number) => Promise<void> | void = () => undefined) {
    const name = `test:${(count += 1)}`;
    const done: number[] = [];
    const step = async ({ after }: { after?: Types.ObjectId }) => {
      const next = after ? items.findIndex((each) => each.equals(after)) + 1 : 0;
      await onStep(next);
      done.push(next);
      return next === items.length - 1 ? undefined : items[next];
    };
    const run = (at = service) => at.get(ScheduledJobs).run({ name, intervalMs: HOUR, step });
    const set = (fields: object) => jobs().updateOne({ _id: name as never }, { $set: fields });
    return { name, done, run, set };
  }

  it('run once in all processes, and again when they are due, whatever the clocks of the processes', async () => {
    const { run, done, set } = newJob();
    await Promise.all([run(), run(other), run(), run(other)]);
    expect(done).toEqual([0, 1, 2, 3, 4]);
    service.clock.advance(48 * HOUR);
    await run();
    expect(done.length).toBe(5);
    await set({ dueAt: new Date() });
    await Promise.all([run(), run(other)]);
    expect(done.length).toBe(10);
  });

  it('continue with the step that failed', async () => {
    let isFailing = true;
    const { run, done } = newJob((item) => {
      if (item === 2 && isFailing) throw new Error('out of reach');
    });
    await expect(run()).rejects.toThrow('out of reach');
    isFailing = false;
    await run(other);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  it('continue at the step of a dead process once its lease has expired', async () => {
    let isDead = true;
    let isHanging = false;
    const { run, done, set } = newJob((item) => {
      isHanging = item === 3 && isDead;
      return isHanging ? new Promise(() => undefined) : undefined;
    });
    void run();
    await eventually(
      () => isHanging,
      (each) => each,
    );
    isDead = false;
    await run(other);
    expect(done).toEqual([0, 1, 2]);
    await set({ heldUntil: new Date() });
    await run(other);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  it('stop in a process whose lease has expired', async () => {
    let slow = true;
    const job = newJob(async (item) => {
      if (item !== 1 || !slow) return;
      slow = false;
      await job.set({ heldUntil: new Date() });
      await job.run(other);
    });
    await job.run();
    expect(job.done).toEqual([0, 1, 2, 3, 4, 1]);
  });

  it('stay due when they are made due during a run', async () => {
    let isFirst = true;
    const { run, done } = newJob(async (item) => {
      if (item !== 3 || !isFirst) return;
      isFirst = false;
      await service.get(ScheduledJobs).makeAllDue();
    });
    await run();
    await run(other);
    await run();
    expect(done.length).toBe(10);
  });

  it('of the service do not wait for each other', async () => {
    const scheduler = service.get(MaintenanceScheduler);
    await scheduler.runDue();
    const completedAt = async () => {
      const job = await jobs().findOne<{ completedAt: Date }>({ _id: 'rollups' as never });
      return job?.completedAt.getTime() ?? 0;
    };
    const before = await completedAt();
    await service.newAccount();
    const retention = pauseNextCall(service, MessageRetention, 'removeOld');
    await service.get(ScheduledJobs).makeAllDue();
    const running = scheduler.runDue();
    await retention.reached;
    await eventually(completedAt, (each) => each > before);
    retention.release(false);
    await running;
  });

  it('of the service are done in one process', async () => {
    await Promise.all([service, other].map((each) => each.get(MaintenanceScheduler).runDue()));
    const stored = await jobs()
      .find({ completedAt: { $exists: true } })
      .toArray();
    const names = stored.map(({ _id }) => String(_id)).filter((name) => !name.startsWith('test:'));
    expect(names.sort()).toEqual(['delivery-retention', 'message-retention', 'rollups']);
  });
});
