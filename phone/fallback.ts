import { setTimeout as sleep } from 'node:timers/promises';
import { VIRTUAL_MODEL } from './handset';
import { RequestError } from './json-client';
import type { PhoneApi } from './phone-api';

const CHECK_INTERVAL_MS = 3_000;

/**
 * Disables the virtual phones if another phone is enabled and reachable. Otherwise the virtual one would stay the
 * default device.
 */
export async function yieldToOtherPhone(api: PhoneApi): Promise<boolean> {
  try {
    const enabled = (await api.devices()).filter((device) => device.enabled);
    const virtual = enabled.filter(({ model }) => model === VIRTUAL_MODEL);
    if (!enabled.some(({ model, reachable }) => model !== VIRTUAL_MODEL && reachable)) return false;
    for (const { _id } of virtual) await api.setEnabled(_id, false);
    return true;
  } catch (failure) {
    if (failure instanceof RequestError) return false;
    throw failure;
  }
}

/** Resolves when another phone is reachable. Does not keep the process running. */
export async function waitForOtherPhone(api: PhoneApi): Promise<void> {
  do await sleep(CHECK_INTERVAL_MS, undefined, { ref: false });
  while (!(await yieldToOtherPhone(api)));
}

/** Resolves when no other phone is enabled and reachable, or on abort. */
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
    if (failure instanceof RequestError) return false;
    throw failure;
  }
}
