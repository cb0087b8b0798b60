import { setTimeout as sleep } from 'node:timers/promises';
import { VIRTUAL_MODEL } from './handset';
import { RequestError } from './json-client';
import type { PhoneApi } from './phone-api';

const CHECK_INTERVAL_MS = 3_000;

/**
 * Whether another phone is enabled on the account and can be reached. If so the virtual ones are disabled: the first of
 * them is the account's default, which sends would go on choosing.
 */
export async function yieldToOtherPhone(api: PhoneApi): Promise<boolean> {
  try {
    const enabled = (await api.devices()).filter((device) => device.enabled);
    const virtual = enabled.filter(({ model }) => model === VIRTUAL_MODEL);
    if (!enabled.some(({ model, reachable }) => model !== VIRTUAL_MODEL && reachable)) return false;
    for (const { _id } of virtual) await api.setEnabled(_id, false);
    return true;
  } catch (failure) {
    // Nobody can be paired with a service that is away; the phone itself tells that it is.
    if (failure instanceof RequestError) return false;
    throw failure;
  }
}

/** Looks every few seconds, and resolves once the phone is relieved. Keeps no process running. */
export async function waitForOtherPhone(api: PhoneApi): Promise<void> {
  do await sleep(CHECK_INTERVAL_MS, undefined, { ref: false });
  while (!(await yieldToOtherPhone(api)));
}

/** Looks every few seconds, and resolves once no other phone is enabled that can be reached, or when it is told to end. */
export async function waitUntilNeeded(api: PhoneApi, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (await isNeeded(api)) return;
  }
}

async function isNeeded(api: PhoneApi): Promise<boolean> {
  try {
    const devices = await api.devices();
    return !devices.some((device) => device.enabled && device.reachable && device.model !== VIRTUAL_MODEL);
  } catch (failure) {
    // While the service is away nobody knows.
    if (failure instanceof RequestError) return false;
    throw failure;
  }
}
