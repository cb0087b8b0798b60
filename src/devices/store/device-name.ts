import type { Device } from './device.schema';

/** Stored for attributes the phone did not report. */
export const UNKNOWN = 'unknown';

/** The owner's name of a phone, else its model; undefined if neither is known. */
export function deviceNameOf({ name, model }: Pick<Device, 'name' | 'model'>): string | undefined {
  if (name) return name;
  return model && model !== UNKNOWN ? model : undefined;
}
