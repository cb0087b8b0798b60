import { Types } from 'mongoose';
import type { LimitReason } from '../../states/wait-reasons';
import { newlyReached } from './reached-limits';

const MIDNIGHT = new Date('2026-03-02T00:00:00Z');
const NEXT_MONTH = new Date('2026-04-01T00:00:00Z');
const limits = { partsPerMinute: 10, messagesPerDay: 3, recipientsPerMonth: 2 };
const waits = (reason: LimitReason, until: Date) => ({ id: new Types.ObjectId(), reason, until });
const byDay = waits('messages_per_day', MIDNIGHT);
const day = { limit: 'messagesPerDay', value: 3, resetsAt: MIDNIGHT };

describe('newlyReached', () => {
  it('tells each limit once, with its value and when it resets', () => {
    const waiting = [byDay, waits('messages_per_day', MIDNIGHT), waits('recipients_per_month', NEXT_MONTH)];
    const month = { limit: 'recipientsPerMonth', value: 2, resetsAt: NEXT_MONTH };
    expect(newlyReached({ limits }, waiting)).toEqual([day, month]);
  });

  it('leaves out the pace, which holds messages back all the time', () => {
    expect(newlyReached({ limits }, [waits('parts_per_minute', MIDNIGHT)])).toEqual([]);
  });

  it('leaves out a limit that is known to be reached in this period or a later one', () => {
    expect(newlyReached({ limits, limitsReached: { messagesPerDay: MIDNIGHT } }, [byDay])).toEqual([]);
    expect(newlyReached({ limits, limitsReached: { messagesPerDay: NEXT_MONTH } }, [byDay])).toEqual([]);
    const yesterday = new Date('2026-03-01T00:00:00Z');
    expect(newlyReached({ limits, limitsReached: { messagesPerDay: yesterday } }, [byDay])).toEqual([day]);
  });
});
