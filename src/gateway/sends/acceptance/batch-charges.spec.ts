import { Types } from 'mongoose';
import type { Batch } from '../../../messages/batch.schema';
import { chargesOfWaves } from './batch-charges';

const DAYS = ['2026-01-30', '2026-01-31', '2026-02-01'];

describe('chargesOfWaves', () => {
  const batch: Batch = {
    _id: new Types.ObjectId(),
    user: new Types.ObjectId(),
    device: new Types.ObjectId(),
    acceptance: 'accepted',
    recipientCount: 60,
    recipientPreview: '',
    groups: DAYS.map((day, index) => ({
      scheduledAt: new Date(`${day}T23:59:59.999Z`),
      count: 20,
      firstWave: 10 * index,
      waves: 10,
      planned: true,
    })),
    chargedDays: Object.fromEntries(DAYS.map((day) => [day, 20])),
    createdAt: new Date('2026-01-01T12:00:00Z'),
    updatedAt: new Date('2026-01-01T12:00:00Z'),
  };

  it('charges each wave to the day of its group, in whatever order they come', () => {
    const byWave = new Map([
      [29, 4],
      [0, 1],
      [10, 3],
      [9, 2],
    ]);
    expect(chargesOfWaves(batch, byWave)).toEqual([
      { day: '2026-01-30', count: 3 },
      { day: '2026-01-31', count: 3 },
      { day: '2026-02-01', count: 4 },
    ]);
    expect(chargesOfWaves(Object.assign({}, batch, { chargedDays: undefined }), byWave)).toEqual([
      { day: '2026-01-01', count: 10 },
    ]);
  });
});
