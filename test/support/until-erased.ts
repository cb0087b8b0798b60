import { ERASURE_GRACE_PERIOD_MS, ErasureService } from '../../src/erasure/erasure.service';
import type { TestClient } from './client';
import { countStoredDocuments } from './count-stored-documents';
import { eventually } from './eventually';
import type { TestService } from './service';

/**
 * Resumes the erasure of an account, as the scheduler does every minute, until nothing of the account is stored. What was in
 * progress when it began may still write, and is removed by the next run.
 */
export async function untilErased(service: TestService, account: Pick<TestClient, 'user'>): Promise<void> {
  const erasures = service.get(ErasureService);
  await erasures.resume();
  service.clock.advance(ERASURE_GRACE_PERIOD_MS);
  await eventually(
    async () => {
      await erasures.resume();
      return countStoredDocuments(service, account);
    },
    (stored) => Object.keys(stored).length === 0,
  );
}
