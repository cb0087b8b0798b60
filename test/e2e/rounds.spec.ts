import { Types } from 'mongoose';
import { ProcessPresence } from '../../src/common/upkeep/process-presence.service';
import { Rounds } from '../../src/common/upkeep/rounds.service';
import { RunningProcessesRepository } from '../../src/common/upkeep/running-processes.repository';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('rounds', () => {
  let service: TestService;
  let other: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'scheduler' } });
    other = await TestService.start({ environment: { APP_ROLES: 'scheduler' }, shared: service });
    for (const each of [service, other]) each.stopTimers();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const items = Array.from({ length: 5 }, () => new Types.ObjectId());
  let count = 0;

  /** A round over all items, one per step. */
  function newRound(onStep: (item: number) => Promise<void> | void = () => undefined) {
    const name = `test:${(count += 1)}`;
    const done: number[] = [];
    const step = async (after: Types.ObjectId | undefined) => {
      const next = after ? items.findIndex((each) => each.equals(after)) + 1 : 0;
      await onStep(next);
      done.push(next);
      return next === items.length - 1 ? undefined : items[next];
    };
    const run = (at = service) => at.get(Rounds).run({ name, everyMs: HOUR, step });
    return { done, run };
  }

  it('run once in all processes, and again when they are due', async () => {
    const { run, done } = newRound();
    await Promise.all([run(), run(other), run(), run(other)]);
    expect(done).toEqual([0, 1, 2, 3, 4]);
    service.clock.advance(HOUR - MINUTE);
    await run();
    expect(done.length).toBe(5);
    service.clock.advance(MINUTE);
    await Promise.all([run(), run(other)]);
    expect(done.length).toBe(10);
  });

  it('continue with the step that failed', async () => {
    let isFailing = true;
    const { run, done } = newRound((item) => {
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
    const { run, done } = newRound((item) => {
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
    service.clock.advance(11 * MINUTE);
    await run(other);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  it('stop in a process whose lease has expired', async () => {
    let slow = true;
    const { run, done } = newRound(async (item) => {
      if (item !== 1 || !slow) return;
      slow = false;
      service.clock.advance(11 * MINUTE);
      await run(other);
    });
    await run();
    expect(done).toEqual([0, 1, 2, 3, 4, 1]);
  });

  describe('when a process has stopped', () => {
    const renewHeartbeat = () => service.get(ProcessPresence).beat();

    async function startAnother(): Promise<TestService> {
      // The clock was advanced, so renew the heartbeats.
      await Promise.all([service, other].map((each) => each.get(ProcessPresence).beat()));
      return TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    }

    it('gracefully, are not due earlier', async () => {
      const stopping = await startAnother();
      expect(await service.collection('processes').countDocuments()).toBe(3);
      await stopping.stop();
      expect(await service.collection('processes').countDocuments()).toBe(2);
      const { run, done } = newRound();
      await run();
      for (let minute = 0; minute < 3; minute++) {
        service.clock.advance(MINUTE);
        await Promise.all([renewHeartbeat(), other.get(ProcessPresence).beat()]);
      }
      await run();
      expect(done.length).toBe(5);
    });

    it('uncleanly during its lease, do not wait for the end of the lease', async () => {
      const dying = await startAnother();
      let hangs = false;
      let dies = true;
      const { run, done } = newRound((item) => {
        hangs = item === 3 && dies;
        return hangs ? new Promise(() => undefined) : undefined;
      });
      void run(dying);
      await eventually(
        () => hangs,
        (each) => each,
      );
      dies = false;
      jest.spyOn(dying.get(RunningProcessesRepository), 'remove').mockResolvedValue();
      await dying.stop();
      for (let minute = 0; minute < 2; minute++) {
        service.clock.advance(MINUTE + 1_000);
        await Promise.all([renewHeartbeat(), other.get(ProcessPresence).beat()]);
      }
      await run();
      expect(done).toEqual([0, 1, 2, 0, 1, 2, 3, 4]);
    });

    it('uncleanly, are due immediately, even those in progress', async () => {
      const dying = await startAnother();
      jest.spyOn(dying.get(RunningProcessesRepository), 'remove').mockResolvedValue();
      await dying.stop();
      const earlier = newRound();
      await earlier.run();
      service.clock.advance(MINUTE);
      await Promise.all([renewHeartbeat(), other.get(ProcessPresence).beat()]);
      await earlier.run();
      expect(earlier.done.length).toBe(5);
      const current = newRound(async (item) => {
        if (item !== 3) return;
        service.clock.advance(MINUTE + 1_000);
        await Promise.all([renewHeartbeat(), other.get(ProcessPresence).beat()]);
      });
      await current.run();
      await Promise.all([current.run(), earlier.run()]);
      expect(current.done).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 4]); // earlier steps may be outdated
      expect(earlier.done.length).toBe(10);
      await renewHeartbeat();
      await earlier.run();
      expect(earlier.done.length).toBe(10);
    });
  });
});
