import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { requestAtStart, requestAtStream } from './export-requests';

const MINUTE = 60;
const DAY = 86_400;
const START = new Date('2026-01-31T12:00:00Z');
const at = (seconds: number) => new Date(START.getTime() + seconds * 1_000);

/** A phone whose stream was closed at the start. */
const away: Pick<Device, 'stream' | 'exportRequest'> = {
  stream: { id: new Types.ObjectId(), openedAt: at(-DAY), closedAt: START },
};

describe('requestAtStream', () => {
  it('asks a phone that was away for two minutes, from a minute before', () => {
    expect(requestAtStream(away, false, at(2 * MINUTE - 1))).toBeUndefined();
    expect(requestAtStream(away, false, at(2 * MINUTE))).toEqual({
      since: at(-MINUTE),
      until: at(2 * MINUTE),
      begunAt: at(2 * MINUTE),
      repeatedUntil: at(12 * MINUTE),
    });
  });

  it('asks for seven days at most', () => {
    expect(requestAtStream(away, false, at(30 * DAY))?.since).toEqual(at(23 * DAY));
  });

  it('does not ask a phone that has another stream, or had none yet', () => {
    expect(requestAtStream(away, true, at(DAY))).toBeUndefined();
    expect(requestAtStream({}, false, at(DAY))).toBeUndefined();
  });

  it('goes by the last heartbeat if the process with the stream died', () => {
    const stream = { id: new Types.ObjectId(), openedAt: at(-DAY) };
    expect(requestAtStream({ stream, lastHeartbeat: START }, false, at(DAY))?.since).toEqual(at(-MINUTE));
    expect(requestAtStream({ stream }, false, START)?.since).toEqual(at(-DAY - MINUTE));
  });

  it('repeats a request for ten minutes, which repetitions do not prolong', () => {
    const first = requestAtStream(away, false, at(DAY));
    const second = requestAtStream({ ...away, exportRequest: first }, true, at(DAY + 9 * MINUTE));
    expect(second).toEqual({ ...first, until: at(DAY + 9 * MINUTE) });
    expect(requestAtStream({ ...away, exportRequest: second }, true, at(DAY + 10 * MINUTE))).toBeUndefined();
  });
});

describe('requestAtStart', () => {
  it('asks however short the app was off', () => {
    const exportRequest = requestAtStart(away, at(1));
    expect(exportRequest?.since).toEqual(at(-MINUTE));
    expect(requestAtStream({ ...away, exportRequest }, true, at(2))).toEqual({
      ...exportRequest,
      until: at(2),
    });
  });

  it('does not ask before the first stream', () => {
    expect(requestAtStart({}, START)).toBeUndefined();
  });

  it('asks for what earlier starts have asked for, for an hour', () => {
    let exportRequest = requestAtStart(away, START);
    for (let minutes = 9; minutes < 60; minutes += 9) {
      const next = requestAtStart({ ...away, exportRequest }, at(minutes * MINUTE));
      expect(next).toMatchObject({ since: at(-MINUTE), begunAt: START });
      expect(next?.repeatedUntil).toEqual(at((minutes + 10) * MINUTE));
      exportRequest = next;
    }
    const stream = { id: new Types.ObjectId(), openedAt: at(55 * MINUTE) };
    const last = requestAtStart({ stream, exportRequest }, at(60 * MINUTE));
    expect(last).toMatchObject({ since: at(54 * MINUTE), begunAt: at(60 * MINUTE) });
  });
});
