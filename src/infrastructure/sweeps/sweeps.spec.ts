import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../common/clock';
import { Activity } from './activity.service';
import { Sweep } from './sweep.decorator';
import { Sweeps } from './sweeps.service';

const INTERVAL_MS = 5_000;
const MINUTE_MS = 60_000;

const activity = { isActive: false };
const clock = { time: 0, now: () => new Date(clock.time) };
let due: (time: Date) => Promise<boolean>;
let calls: number[];

@Injectable()
class Scheduler {
  @Sweep<Scheduler>(INTERVAL_MS, (_, time) => due(time))
  sweep(): Promise<void> {
    calls.push(clock.time);
    return Promise.resolve();
  }
}

describe('Sweeps', () => {
  let module: TestingModule;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    [calls, activity.isActive, due] = [[], false, () => Promise.resolve(false)];
    module = await Test.createTestingModule({
      imports: [DiscoveryModule, ScheduleModule.forRoot()],
      providers: [
        Scheduler,
        Sweeps,
        { provide: Activity, useValue: activity },
        { provide: Clock, useValue: clock },
      ],
    }).compile();
    await module.init();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await module.close();
  });

  /** @returns how often the method was called in this time. */
  async function callsIn(ms: number): Promise<number> {
    const before = calls.length;
    for (let passed = 0; passed < ms; passed += INTERVAL_MS) {
      clock.time += INTERVAL_MS;
      await jest.advanceTimersByTimeAsync(INTERVAL_MS);
      await new Promise(setImmediate);
    }
    return calls.length - before;
  }

  it('call at their interval while something happens, and once a minute while nothing does', async () => {
    activity.isActive = true;
    expect(await callsIn(MINUTE_MS)).toBe(12);
    activity.isActive = false;
    expect(await callsIn(5 * MINUTE_MS)).toBe(5);
    activity.isActive = true;
    expect(await callsIn(MINUTE_MS)).toBe(12);
  });

  it('call at their interval while something is due within a minute, or what is due cannot be read', async () => {
    const dueAt = clock.time + 10 * MINUTE_MS;
    due = (time) => Promise.resolve(time.getTime() >= dueAt && clock.time < dueAt);
    expect(await callsIn(9 * MINUTE_MS)).toBeLessThanOrEqual(10);
    expect(await callsIn(MINUTE_MS)).toBeGreaterThanOrEqual(11);
    expect(calls.some((time) => time >= dueAt && time < dueAt + INTERVAL_MS)).toBe(true);
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    due = () => Promise.reject(new Error('gone'));
    await callsIn(MINUTE_MS);
    expect(await callsIn(MINUTE_MS)).toBe(12);
    expect(log.mock.calls[0]?.[0]).toMatch(/^Scheduler\.sweep: .*gone/);
  });

  it('do not rest for longer because a clock was set back', async () => {
    await callsIn(MINUTE_MS);
    clock.time -= 60 * MINUTE_MS;
    expect(await callsIn(INTERVAL_MS)).toBe(1);
  });

  it('are in the registry of intervals, by their names', () => {
    expect(module.get(SchedulerRegistry).getIntervals()).toEqual(['Scheduler.sweep']);
  });
});
