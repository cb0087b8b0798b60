import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import type { Endpoint } from './endpoint';
import type { SendEvidence } from './evidence';
import type { Installation } from './installation';
import type { StreamPhone } from './phones';
import type { ChaosScreen } from './screen';

/** How long a send may take to the air, and its event to the receiver, when nothing is broken and no sweeper helps. */
const PROMPT_MS = 4_000;

/**
 * With one worker and no scheduler, a send must be on the air and its event delivered at once, from every API process:
 * a process that came through the outages and hears of nothing any more would hide behind the sweepers otherwise.
 * @returns what was sent for it.
 */
export async function checkPromptness(
  installation: Installation,
  api: ApiClient,
  { phones, endpoint }: { phones: readonly StreamPhone[]; endpoint: Endpoint },
  screen: ChaosScreen,
  onFault: (fault: string) => void,
): Promise<SendEvidence[]> {
  const [survivor, ...others] = [...installation.withRole('worker')].sort(
    (one, other) => one.starts - other.starts,
  );
  if (!survivor) return [];
  await Promise.all(
    [...others, ...installation.withRole('scheduler')].map((process) => process.retire('SIGTERM')),
  );
  const sends: SendEvidence[] = [];
  const times: number[] = [];
  for (const [number, phone] of phones.entries()) {
    const recipient = `+4916000000${String(number)}`;
    const text = `Prompt ${number}`;
    const key = `prompt-${number}`;
    const api1or2 = number % installation.apiUrls.length;
    const started = performance.now();
    const { smsBatchId } = await api.data<{ smsBatchId: string }>(installation.apiUrls[api1or2] ?? '', {
      method: 'POST',
      path: 'gateway/send-sms',
      body: { deviceId: phone.device, message: text, recipients: [recipient] },
      idempotencyKey: key,
    });
    sends.push({ key, device: phone.device, text, recipients: [recipient], batches: [smsBatchId] });
    const airing = () => phone.airings().find((aired) => aired.recipient === recipient);
    const isPosted = () => endpoint.posts().some(({ smsId }) => smsId === airing()?.smsId);
    while (!isPosted() && performance.now() - started < PROMPT_MS) await sleep(20);
    const what = `with ${survivor.name} alone, a send at api ${api1or2 + 1} to phone ${number}`;
    if (!airing()) onFault(`${what} was not on the air within ${PROMPT_MS / 1_000} s`);
    else if (!isPosted()) onFault(`${what} had no event within ${PROMPT_MS / 1_000} s`);
    else times.push(performance.now() - started);
  }
  const slowest = Math.round(Math.max(0, ...times));
  screen.say(`with ${survivor.name} alone, ${times.length} sends had their first event within ${slowest} ms`);
  return sends;
}
