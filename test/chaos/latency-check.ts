import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import type { Endpoint } from './endpoint';
import type { SendEvidence } from './evidence';
import type { Installation } from './installation';
import type { StreamPhone } from './phones';
import type { ProgressLog } from './progress-log';

/** Maximum time from a send to its first event without failures and without schedulers. */
const MAX_LATENCY_MS = 4_000;

/**
 * With one worker and no scheduler, every API process must dispatch sends and deliver events immediately. This finds
 * processes that no longer receive jobs after the outages, which the schedulers would otherwise hide.
 * @returns the sends of this check.
 */
export async function checkLatency(
  installation: Installation,
  api: ApiClient,
  { phones, endpoint }: { phones: readonly StreamPhone[]; endpoint: Endpoint },
  progress: ProgressLog,
  onError: (error: string) => void,
): Promise<SendEvidence[]> {
  const [worker, ...others] = [...installation.withRole('worker')].sort(
    (one, other) => one.starts - other.starts,
  );
  if (!worker) return [];
  await Promise.all(
    [...others, ...installation.withRole('scheduler')].map((process) => process.stopPermanently('SIGTERM')),
  );
  const sends: SendEvidence[] = [];
  const latencies: number[] = [];
  for (const [number, phone] of phones.entries()) {
    const recipient = `+4916000000${String(number)}`;
    const text = `Prompt ${number}`;
    const key = `prompt-${number}`;
    const apiIndex = number % installation.apiUrls.length;
    const started = performance.now();
    const { smsBatchId } = await api.data<{ smsBatchId: string }>(installation.apiUrls[apiIndex] ?? '', {
      method: 'POST',
      path: 'gateway/send-sms',
      body: { deviceId: phone.device, message: text, recipients: [recipient] },
      idempotencyKey: key,
    });
    sends.push({ key, device: phone.device, text, recipients: [recipient], batches: [smsBatchId] });
    const findSms = () => phone.sentSms().find((aired) => aired.recipient === recipient);
    const hasEvent = () => endpoint.webhookRequests().some(({ smsId }) => smsId === findSms()?.smsId);
    while (!hasEvent() && performance.now() - started < MAX_LATENCY_MS) await sleep(20);
    const description = `with ${worker.name} alone, a send at api ${apiIndex + 1} to phone ${number}`;
    if (!findSms()) onError(`${description} was not sent within ${MAX_LATENCY_MS / 1_000} s`);
    else if (!hasEvent()) onError(`${description} had no event within ${MAX_LATENCY_MS / 1_000} s`);
    else latencies.push(performance.now() - started);
  }
  const slowest = Math.round(Math.max(0, ...latencies));
  progress.log(
    `with ${worker.name} alone, ${latencies.length} sends had their first event within ${slowest} ms`,
  );
  return sends;
}
