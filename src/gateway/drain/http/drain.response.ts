import { Count, Time } from '../../../common/http/responses/fields';
import type { DrainProgress } from '../drain.service';

export class DrainResponse {
  @Time('Since when the device takes no new messages')
  drainingSince!: Date;

  @Count('Messages that wait on the server and still go out from it', 12)
  remainingCount!: number;

  @Count('Messages that it was handed and has not reported yet', 3)
  unreportedCount!: number;

  @Count('Messages of pools that other SIMs will send', 40)
  handedOverCount!: number;
}

export const toDrainResponse = (progress: DrainProgress): DrainResponse => ({
  drainingSince: progress.drainingSince,
  remainingCount: progress.remaining,
  unreportedCount: progress.unreported,
  handedOverCount: progress.reassigned,
});
