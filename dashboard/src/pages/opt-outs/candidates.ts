import {
  listOptOutCandidates,
  type ListOptOutCandidatesResponse,
  type OptOutCandidateResponse,
  suppressOptOutCandidates,
  type SuppressOptOutCandidatesResponse,
} from '../../../generated';

/** People who wrote STOP before texts were read: all of them, part by part. */
export async function readCandidates(signal: AbortSignal): Promise<OptOutCandidateResponse[]> {
  const found: OptOutCandidateResponse[] = [];
  let cursor: string | null = null;
  do {
    const { data }: { data: ListOptOutCandidatesResponse } = await listOptOutCandidates({
      query: cursor === null ? {} : { cursor },
      signal,
      throwOnError: true,
    });
    found.push(...data.data);
    cursor = data.meta.nextCursor;
  } while (cursor !== null);
  return found;
}

/** Blocks them, part by part; what is blocked already stays so. @returns how many. */
export async function suppressCandidates(): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const { data }: { data: SuppressOptOutCandidatesResponse } = await suppressOptOutCandidates({
      body: cursor === null ? {} : { cursor },
      throwOnError: true,
    });
    count += data.data.suppressedCount;
    cursor = data.data.nextCursor;
  } while (cursor !== null);
  return count;
}
